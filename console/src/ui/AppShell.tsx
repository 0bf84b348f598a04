// What stands around every page: the sandbox strip with the service's time, the places, the state of the
// connection, and the way out.

import { Link, Outlet } from '@tanstack/react-router'
import { BookOpen, LogOut, MoonStar, Sun, SunMoon } from 'lucide-react'
import { useSession, useSignOut } from '../api/session'
import { useServiceNow } from '../lib/service-time'
import { utcWords } from '../lib/time-words'
import { ConnectionNotice, LiveBadge } from './LiveBadge'
import { GROUPS, type Place } from './nav'
import { useGoKeys } from './use-go-keys'
import { type Theme, useTheme } from './use-theme'

export function AppShell() {
  const { account, mode } = useSession()
  const isSandbox = mode === 'sandbox'
  const isShown = (place: Place) => isSandbox || !place.isSandboxOnly
  const groups = GROUPS.map(({ title, places }) => ({ title, places: places.filter(isShown) }))
  useGoKeys(groups.flatMap(({ places }) => places))
  return (
    <div className={`flex min-h-dvh flex-col ${isSandbox ? '[--strip:1.5rem]' : '[--strip:0px]'}`}>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-10 focus:bg-surface focus:p-2"
      >
        Skip to the page
      </a>
      {isSandbox ? <SandboxStrip /> : null}
      <div className="flex flex-1">
        <SideBar groups={groups} name={account?.name ?? ''} />
        <main id="main" className="min-w-0 flex-1 pb-20 md:pb-0">
          <ConnectionNotice />
          <Outlet />
          <div className="md:hidden">
            <AccountMenu name={account?.name ?? ''} />
          </div>
        </main>
      </div>
      <BottomBar places={groups.flatMap(({ places }) => places).slice(0, 5)} />
    </div>
  )
}

function SandboxStrip() {
  const now = useServiceNow()
  return (
    <div className="sticky top-0 z-10 flex h-6 items-center justify-center gap-1 overflow-hidden border-b border-line bg-sunken px-4 text-xs whitespace-nowrap text-ink-2">
      <span className="font-medium">Sandbox</span>
      <span className="max-sm:hidden">· simulated carrier, no real texts</span>·
      <time dateTime={now.toISOString()} className="whitespace-nowrap">
        {utcWords(now).replace(/\.\d+/, '')}
      </time>
    </div>
  )
}

interface SideBarProps {
  groups: readonly { title: string | null; places: readonly Place[] }[]
  name: string
}

function SideBar({ groups, name }: SideBarProps) {
  return (
    <div className="sticky top-(--strip) hidden h-[calc(100dvh-var(--strip))] w-54 shrink-0 flex-col border-r border-line bg-surface md:flex">
      <div className="flex items-center gap-2 px-4 pt-4 pb-3">
        <Mark />
        <span className="text-lg font-semibold">Longcode</span>
        <span className="ml-auto">
          <LiveBadge />
        </span>
      </div>
      <nav aria-label="Places" className="flex-1 overflow-y-auto px-2">
        {groups.map(({ title, places }) => (
          <div key={title ?? ''} className="mb-3">
            {title ? <p className="px-2 pb-1 text-xs text-ink-3">{title}</p> : null}
            <ul>
              {places.map((place) => (
                <li key={place.path}>
                  <PlaceLink place={place} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <AccountMenu name={name} />
    </div>
  )
}

function PlaceLink({ place: { path, label, icon: Icon, key } }: { place: Place }) {
  return (
    <Link
      to={path}
      preload="intent"
      className="group flex min-h-8 items-center gap-2 rounded-md px-2 text-ink-2 hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      <Icon size={16} aria-hidden="true" />
      {label}
      <kbd className="ml-auto font-sans text-xs text-ink-3 opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100">
        g {key}
      </kbd>
    </Link>
  )
}

function AccountMenu({ name }: { name: string }) {
  const signOut = useSignOut()
  return (
    <div className="flex items-center gap-1 border-t border-line px-4 py-2">
      <span className="min-w-0 flex-1 truncate text-sm" title={name}>
        {name}
      </span>
      <ThemeButton />
      <a href="/docs" className={ICON_BUTTON} aria-label="API reference" title="API reference">
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

const ICON_BUTTON =
  'inline-flex size-8 pointer-coarse:size-11 cursor-pointer items-center justify-center rounded-md text-ink-2 hover:bg-hover hover:text-ink'
const THEME_ICONS: Record<Theme, typeof Sun> = { system: SunMoon, light: Sun, dark: MoonStar }

function ThemeButton() {
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

function BottomBar({ places }: { places: readonly Place[] }) {
  return (
    <nav
      aria-label="Places"
      className="fixed inset-x-0 bottom-0 flex border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {places.map(({ path, label, icon: Icon }) => (
        <Link
          key={path}
          to={path}
          className="flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-ink-2 aria-[current=page]:text-accent-ink"
        >
          <Icon size={20} aria-hidden="true" />
          {label}
        </Link>
      ))}
    </nav>
  )
}

export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="text-accent">
      <rect width="32" height="32" rx="8" fill="currentColor" />
      <path d="M8 9h16v11H15l-5 4v-4H8z" className="fill-on-accent" />
    </svg>
  )
}
