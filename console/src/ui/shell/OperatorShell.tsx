// The frame of every operator page: a plum bar across the top, so nobody mistakes it for a customer's page, the
// operator navigation and shortcuts, and sign-out.

import { useQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { ArrowLeftRight, BookOpen, Ellipsis, LogOut } from 'lucide-react'
import { useBrandName } from '../../api/branding'
import { useIncomplete } from '../../api/incomplete'
import { reviewQueueQuery } from '../../api/operator-queries'
import { useSession, useSignOut } from '../../api/session'
import { Notice } from '../feedback/Notice'
import { ThemeButton } from './AccountMenu'
import { PlaceLink, SandboxStrip, SkipLink } from './AppShell'
import { Mark } from './Mark'
import { OperatorKeys } from './OperatorKeys'
import { AT_HAND, mayOperate, useOperatorPlaces } from './operator-nav'
import { UpdateNotice } from './UpdateNotice'

export function OperatorShell() {
  const { mode } = useSession()
  const isSandbox = mode === 'sandbox'
  return (
    <div className={`flex min-h-dvh flex-col ${isSandbox ? '[--strip:4rem]' : '[--strip:2.5rem]'}`}>
      <SkipLink />
      {isSandbox ? <SandboxStrip /> : null}
      <OperatorBar top={isSandbox ? 'top-6' : 'top-0'} />
      <div className="flex flex-1">
        <SideBar />
        <main id="main" className="min-w-0 flex-1 pb-20 md:pb-0">
          <UpdateNotice />
          <IncompleteNotice />
          <Outlet />
        </main>
      </div>
      <BottomBar />
      <OperatorKeys />
    </div>
  )
}

const ON_BAR =
  'inline-flex min-h-8 min-w-8 pointer-coarse:min-h-10 pointer-coarse:min-w-11 cursor-pointer items-center justify-center gap-1.5 rounded-md px-2 hover:underline focus-visible:outline-on-operator focus-visible:-outline-offset-2'

function OperatorBar({ top }: { top: string }) {
  const { operator, account } = useSession()
  const signOut = useSignOut('operator')
  return (
    <header
      className={`sticky ${top} z-10 flex h-10 items-center gap-2 bg-operator px-4 text-on-operator print:hidden`}
    >
      <span className="font-semibold">Operator</span>
      <span className="min-w-0 flex-1 truncate text-sm" dir="auto" title={operator?.name}>
        {operator?.name}
      </span>
      {account ? (
        <Link to="/overview" className={ON_BAR} title={`Go to account ${account.name}`}>
          <ArrowLeftRight size={16} aria-hidden="true" />
          <span className="max-w-40 truncate text-sm max-sm:sr-only" dir="auto">
            {account.name}
          </span>
        </Link>
      ) : null}
      <button
        type="button"
        onClick={() => void signOut()}
        className={ON_BAR}
        aria-label="Sign out"
        title="Sign out"
      >
        <LogOut size={16} aria-hidden="true" />
      </button>
    </header>
  )
}

function SideBar() {
  const waiting = useWaiting()
  const places = useOperatorPlaces()
  const name = useBrandName()
  return (
    <aside
      aria-label={name}
      className="sticky top-(--strip) hidden h-[calc(100dvh-var(--strip))] w-14 shrink-0 flex-col border-r border-line bg-surface md:flex lg:w-54 print:hidden"
    >
      <div className="flex items-center gap-2 px-4 pt-4 pb-3 max-lg:px-0 max-lg:justify-center">
        <Mark />
        <span className="min-w-0 truncate text-lg font-semibold max-lg:sr-only">{name}</span>
      </div>
      <nav aria-label="Main" className="flex-1 overflow-y-auto px-2 pb-4">
        <ul>
          {places.map((place) => (
            <li key={place.path}>
              <PlaceLink place={place} count={place.label === 'Reviews' ? waiting : 0} />
            </li>
          ))}
        </ul>
      </nav>
      <div className="flex items-center gap-1 border-t border-line px-4 py-2 max-lg:flex-col max-lg:px-1">
        <a
          href="/docs/operator"
          className="flex min-h-8 min-w-0 flex-1 items-center gap-2 text-sm text-ink-2 hover:text-ink"
          title="Operator API reference"
        >
          <BookOpen size={16} aria-hidden="true" />
          <span className="max-lg:sr-only">Operator API</span>
        </a>
        <ThemeButton />
      </div>
    </aside>
  )
}

/** On every page: a partial list must not look complete. */
function IncompleteNotice() {
  const words = useIncomplete()
  if (words === null) return null
  return (
    <div role="status" className="px-4 pt-4 sm:px-6">
      <Notice tone="warn" title="Some data is missing">
        {words}. It returns automatically when the worker responds again.
      </Notice>
    </div>
  )
}

/** The review queue length: the only count here, since only reviews need the operator. */
function useWaiting(): number {
  const { operator } = useSession()
  const { data } = useQuery({
    ...reviewQueueQuery,
    enabled: mayOperate(operator, 'operatorReviewQueue'),
  })
  return (data?.brands.waiting ?? 0) + (data?.campaigns.waiting ?? 0)
}

function BottomBar() {
  const places = useOperatorPlaces().filter(({ label }) => AT_HAND.includes(label))
  const all = [...places, { path: '/operator/more', label: 'More', icon: Ellipsis }]
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-10 flex border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
    >
      {all.map(({ path, label, icon: Icon }) => (
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
