// ⌘K: jump to a page, find a record by pasting its id, or run an action. Loaded on first use.

import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { brandsQuery, campaignsQuery } from '../../api/queries'
import { useMay, useSession, useSignOut } from '../../api/session'
import { find } from '../../lib/find'
import { readPhone } from '../../lib/format'
import type { NavItem } from './nav'
import { useTheme } from './use-theme'

interface Item {
  value: string
  hint?: string
  run: () => void
}
interface Group {
  value: string
  items: readonly Item[]
}

interface CommandMenuProps {
  places: readonly NavItem[]
  onClose: () => void
  onHelp: () => void
}

/** At most this many names are offered. */
const MOST_NAMES = 8

export default function CommandMenu({ places, onClose, onHelp }: CommandMenuProps) {
  const [text, setText] = useState('')
  const groups = useCommands(text, places, onHelp)
  const run = (item: Item) => {
    onClose()
    item.run()
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 bg-sunken/70" />
        <Dialog.Popup
          aria-label="Search or jump to…"
          className="fixed top-[10dvh] left-1/2 flex max-h-[min(30rem,80dvh)] w-[min(100vw-1rem,36rem)] -translate-x-1/2 flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-dialog"
        >
          <Autocomplete.Root
            open
            inline
            items={groups}
            filter={null}
            autoHighlight="always"
            keepHighlight
            value={text}
            onValueChange={setText}
            itemToStringValue={(item: Item) => item.value}
          >
            <div className="flex items-center gap-2 border-b border-line px-3">
              <Search size={16} aria-hidden="true" className="shrink-0 text-ink-3" />
              <Autocomplete.Input
                aria-label="Search or jump to"
                placeholder="Page, name, ID, or phone number"
                className="h-12 w-full bg-transparent text-lg outline-none placeholder:text-ink-3"
              />
            </div>
            <Autocomplete.Empty className="px-4 py-6 text-ink-2 empty:hidden">
              No results. Enter complete IDs and phone numbers.
            </Autocomplete.Empty>
            <Autocomplete.List className="min-h-0 overflow-y-auto overscroll-contain p-1 empty:hidden">
              {(group: Group) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 text-xs text-ink-3">
                    {group.value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: Item) => (
                      <Autocomplete.Item
                        key={item.value}
                        value={item}
                        onClick={() => run(item)}
                        className="flex min-h-9 cursor-pointer scroll-my-1 items-center gap-2 rounded-md px-2 outline-none data-highlighted:bg-hover pointer-coarse:min-h-11"
                      >
                        <span className="min-w-0 flex-1 truncate">{item.value}</span>
                        <span className="shrink-0 text-xs text-ink-3">{item.hint}</span>
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function useCommands(text: string, places: readonly NavItem[], onHelp: () => void): Group[] {
  const navigate = useNavigate()
  const go = (path: string) => () => void navigate({ to: path })
  const does = useDeeds(go, onHelp)
  const enabled = useMay('read')
  const brands = useQuery({ ...brandsQuery, enabled }).data?.brands ?? []
  const campaigns = useQuery({ ...campaignsQuery, enabled }).data?.campaigns ?? []
  const names: Item[] = [
    ...campaigns.map(({ id, displayName }) => ({
      value: displayName || id,
      hint: 'Campaign',
      run: go(`/campaigns/${id}`),
    })),
    ...brands.map(({ id, displayName, entityName }) => ({
      value: displayName || entityName || id,
      hint: 'Brand',
      run: go(`/brands/${id}`),
    })),
  ]
  const groups: Group[] = [
    { value: 'Results', items: findItems(text, go) },
    {
      value: 'Go to',
      items: matching(
        text,
        places.map(({ label, path, key }) => ({
          value: label,
          hint: key ? `g ${key}` : '',
          run: go(path),
        })),
      ),
    },
    { value: 'Actions', items: matching(text, does) },
    { value: 'Names', items: text.trim() ? matching(text, names).slice(0, MOST_NAMES) : [] },
  ]
  return groups.filter(({ items }) => items.length > 0)
}

function findItems(text: string, go: (path: string) => () => void): Item[] {
  const found = find(text)
  if (!found) return []
  const path = found.path ?? `/go/${encodeURIComponent(text.trim())}`
  const items: Item[] = [{ value: found.label, hint: 'open', run: go(path) }]
  const phone = readPhone(text)
  if (phone.startsWith('+')) {
    items.push({
      value: `Send to ${text.trim()}`,
      run: go(`/send?to=${encodeURIComponent(phone)}`),
    })
  }
  return items
}

function useDeeds(go: (path: string) => () => void, onHelp: () => void): Item[] {
  const { account, operator } = useSession()
  const may = (scope: NonNullable<NavItem['scope']>, items: Item[]) =>
    account?.scopes.includes(scope) ? items : []
  const signOut = useSignOut()
  const { theme, next } = useTheme()
  const deeds: Item[] = [
    ...may('send', [{ value: 'Send message', hint: 'c', run: go('/send') }]),
    ...may('manage', [
      { value: 'Create brand', run: go('/brands/new') },
      { value: 'Create campaign', run: go('/campaigns/new') },
      { value: 'Buy a number', run: go('/numbers/buy') },
      { value: 'Create webhook', run: go('/webhooks/new') },
    ]),
    ...may('read', [{ value: 'Open latest message', run: go('/messages/latest') }]),
    { value: `Change theme (now ${theme})`, hint: 't', run: next },
    { value: 'Keyboard shortcuts', hint: '?', run: onHelp },
    { value: 'API reference', run: () => location.assign('/docs/api') },
    { value: 'Documentation', run: () => location.assign('/docs') },
    { value: 'Sign out', run: () => void signOut() },
  ]
  if (operator) deeds.push({ value: 'Operator pages', run: go('/operator') })
  return deeds
}

/** Items whose words start with the typed words, in any order. */
function matching(text: string, items: readonly Item[]): Item[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean)
  const has = (value: string, word: string) =>
    value
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .some((part) => part.startsWith(word))
  return items.filter(({ value }) => words.every((word) => has(value, word)))
}
