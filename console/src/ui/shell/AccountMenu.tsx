// The account name, theme, API reference, link to the operator pages if available, and sign-out.

import { Link } from '@tanstack/react-router'
import { BookOpen, LogOut, MoonStar, ShieldUser, Sun, SunMoon, UserRound } from 'lucide-react'
import { switchAccount, useSession, useSignOut } from '../../api/session'
import { Select } from '../inputs/Field'
import { type Theme, useTheme } from './use-theme'

const ICON_BUTTON =
  'inline-flex size-8 pointer-coarse:size-11 shrink-0 cursor-pointer items-center justify-center rounded-md text-ink-2 hover:bg-hover hover:text-ink'

export function AccountMenu() {
  const { account, operator, user } = useSession()
  const signOut = useSignOut()
  const accounts = user?.accounts ?? []
  return (
    <div className="flex flex-wrap items-center gap-1 border-t border-line px-4 py-2 max-lg:flex-col max-lg:px-1">
      {accounts.length > 1 ? (
        <div className="w-full md:max-lg:hidden">
          <Select
            aria-label="Account"
            className="text-sm"
            value={account?.accountId ?? ''}
            options={accounts.map(({ accountId, name }) => ({ value: accountId, label: name }))}
            onChange={({ target }) => void switchAccount(target.value)}
          />
        </div>
      ) : (
        <span
          className="min-w-0 flex-1 truncate text-sm md:max-lg:sr-only"
          title={account?.name ?? ''}
        >
          {account?.name}
        </span>
      )}
      {user ? (
        <Link
          to="/me"
          className={ICON_BUTTON}
          aria-label={`My profile (${user.name})`}
          title={`My profile (${user.name})`}
        >
          <UserRound size={16} aria-hidden="true" />
        </Link>
      ) : null}
      {operator ? (
        <Link
          to="/operator"
          className={ICON_BUTTON}
          aria-label="Operator pages"
          title="Operator pages"
        >
          <ShieldUser size={16} aria-hidden="true" />
        </Link>
      ) : null}
      <ThemeButton />
      <a href="/docs" className={ICON_BUTTON} aria-label="Documentation" title="Documentation">
        <BookOpen size={16} aria-hidden="true" />
      </a>
      <button
        type="button"
        onClick={() => void signOut()}
        className={ICON_BUTTON}
        aria-label="Sign out"
        title="Sign out"
      >
        <LogOut size={16} aria-hidden="true" />
      </button>
    </div>
  )
}

const THEME_ICONS: Record<Theme, typeof Sun> = { system: SunMoon, light: Sun, dark: MoonStar }

export function ThemeButton() {
  const { theme, next } = useTheme()
  const Icon = THEME_ICONS[theme]
  return (
    <button
      type="button"
      onClick={next}
      className={ICON_BUTTON}
      aria-label={`Theme: ${theme}`}
      title={`Theme: ${theme}`}
    >
      <Icon size={16} aria-hidden="true" />
    </button>
  )
}
