// The frame of every account page: the sandbox strip with the service's time, navigation, connection status, keyboard
// shortcuts, and sign-out.

import { Link, Outlet } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useBrandName } from '../../api/branding'
import { useSession } from '../../api/session'
import { formatUtc } from '../../lib/format-time'
import { CARRIER_WORDS } from '../../lib/sandbox'
import { useServiceNow } from '../../lib/service-time'
import { AccountMenu } from './AccountMenu'
import { ConnectionNotice, LiveBadge } from './LiveBadge'
import { Mark, SupportLine } from './Mark'
import { barPlaces, type NavItem, type PlaceGroup } from './nav'
import { ShellKeys } from './ShellKeys'
import { UpdateNotice } from './UpdateNotice'
import { useNeeds } from './use-needs'
import { usePlaces } from './use-places'

export function AppShell() {
  const { mode } = useSession()
  const groups = usePlaces()
  const needs = useNeeds()
  const places = groups.flatMap((group) => group.places)
  const isSandbox = mode === 'sandbox'
  return (
    <div className={`flex min-h-dvh flex-col ${isSandbox ? '[--strip:1.5rem]' : '[--strip:0px]'}`}>
      <SkipLink />
      {isSandbox ? <SandboxStrip /> : null}
      <div className="flex flex-1">
        <SideBar groups={groups} needs={needs} />
        <main id="main" className="min-w-0 flex-1 pb-20 md:pb-0">
          <ConnectionNotice />
          <UpdateNotice />
          <Outlet />
        </main>
      </div>
      <BottomBar places={barPlaces(places)} isNeeded={needs.size > 0} />
    </div>
  )
}

export function SkipLink() {
  return (
    <a
      href="#main"
      className="sr-only focus:not-sr-only focus:absolute focus:z-10 focus:bg-surface focus:p-2"
    >
      Skip to content
    </a>
  )
}

export function SandboxStrip() {
  const now = useServiceNow()
  const { carrier } = useSession()
  return (
    <section
      aria-label="Sandbox"
      className="sticky top-0 z-10 flex h-6 items-center justify-center gap-1 overflow-hidden border-b border-line bg-sunken px-4 text-xs whitespace-nowrap text-ink-2 print:hidden"
    >
      <span className="font-medium">Sandbox</span>
      <span className={carrier === 'real' ? '' : 'max-sm:hidden'}>· {CARRIER_WORDS[carrier]}</span>·
      <time dateTime={now.toISOString()} className="whitespace-nowrap">
        {formatUtc(now).replace(/\.\d+/, '')}
      </time>
    </section>
  )
}

type Needs = ReadonlyMap<string, number>

function SideBar({ groups, needs }: { groups: readonly PlaceGroup[]; needs: Needs }) {
  return (
    <header className="sticky top-(--strip) hidden h-[calc(100dvh-var(--strip))] w-14 shrink-0 flex-col border-r border-line bg-surface md:flex lg:w-54 print:hidden">
      <div className="flex items-center gap-2 px-4 pt-4 pb-3 max-lg:flex-col max-lg:px-0">
        <Mark />
        <span className="min-w-0 truncate text-lg font-semibold max-lg:sr-only">
          {useBrandName()}
        </span>
        <span className="lg:ml-auto">
          <LiveBadge />
        </span>
      </div>
      <ShellKeys places={groups.flatMap((group) => group.places)} />
      <nav aria-label="Main" className="flex-1 overflow-y-auto px-2">
        {groups.map(({ title, places }) => (
          <div key={title ?? ''} className="mb-3">
            {title ? <p className="px-2 pb-1 text-xs text-ink-3 max-lg:sr-only">{title}</p> : null}
            <ul>
              {places.map((place) => (
                <li key={place.path}>
                  <PlaceLink place={place} count={needs.get(place.path) ?? 0} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="px-4 pb-2 max-lg:hidden">
        <SupportLine />
      </div>
      <AccountMenu />
    </header>
  )
}

interface PlaceLinkProps {
  place: NavItem
  /** How many items on that page need attention. */
  count?: number
}

export function PlaceLink({ place: { path, label, icon: Icon, key }, count = 0 }: PlaceLinkProps) {
  return (
    <Link
      to={path}
      preload="intent"
      title={label}
      className="group flex min-h-8 items-center gap-2 rounded-md px-2 text-ink-2 hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-ink max-lg:min-h-10 max-lg:justify-center max-lg:px-0"
    >
      <Icon size={16} aria-hidden="true" />
      <span className="max-lg:sr-only">{label}</span>
      {key ? (
        <kbd className="ml-auto font-sans text-xs text-ink-3 opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100 max-lg:hidden">
          g {key}
        </kbd>
      ) : null}
      {count > 0 ? <NeedsCount count={count} /> : null}
    </Link>
  )
}

export function NeedsCount({ count }: { count: number }) {
  return (
    <span className="ml-auto rounded-sm bg-warn-soft px-1.5 text-xs font-medium text-warn-ink group-hover:ml-0 max-lg:ml-0">
      {count}
      <span className="sr-only"> need attention</span>
    </span>
  )
}

function BottomBar({ places, isNeeded }: { places: readonly NavItem[]; isNeeded: boolean }) {
  const all = [...places, { path: '/more', label: 'More', icon: Ellipsis }]
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-10 flex border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
    >
      {all.map(({ path, label, icon: Icon }) => (
        <Link
          key={path}
          to={path}
          className="relative flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-ink-2 aria-[current=page]:text-accent-ink"
        >
          <Icon size={20} aria-hidden="true" />
          {label.split(' ')[0]}
          {isNeeded && path === '/more' ? (
            <span className="absolute top-2 right-1/4 size-2 rounded-full bg-warn-solid">
              <span className="sr-only">needs attention</span>
            </span>
          ) : null}
        </Link>
      ))}
    </nav>
  )
}
