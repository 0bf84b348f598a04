// The dialog of ⌘K: jump to a page, find a record by its name, number, or ID, or run an action.

import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import { useState } from 'react'
import type { Command, CommandGroup } from './commands'
import type { NavItem } from './nav'

interface CommandMenuProps {
  places: readonly NavItem[]
  /** What is offered for the typed text: for an account, or for operators. */
  useCommands: (text: string, places: readonly NavItem[], onHelp: () => void) => CommandGroup[]
  onClose: () => void
  onHelp: () => void
}

export function CommandMenu({ places, useCommands, onClose, onHelp }: CommandMenuProps) {
  const [text, setText] = useState('')
  const groups = useCommands(text, places, onHelp).filter(({ items }) => items.length > 0)
  const run = (item: Command) => {
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
            itemToStringValue={(item: Command) => item.value}
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
              No results. Enter complete IDs and phone numbers, or the start of a name.
            </Autocomplete.Empty>
            <Autocomplete.List className="min-h-0 overflow-y-auto overscroll-contain p-1 empty:hidden">
              {(group: CommandGroup) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 text-xs text-ink-3">
                    {group.value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: Command) => (
                      <Autocomplete.Item
                        key={`${item.hint} ${item.value}`}
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
