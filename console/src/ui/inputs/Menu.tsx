// The ⋯ menu of a row or a page: its actions, with their shortcuts.

import { Menu as BaseMenu } from '@base-ui/react/menu'
import { ChevronDown, Ellipsis, type LucideIcon } from 'lucide-react'

export interface MenuItem {
  label: string
  icon?: LucideIcon
  isDanger?: boolean
  /** The shortcut for the same action. */
  shortcut?: string
  onSelect: () => void
}

interface MenuProps {
  label: string
  items: readonly MenuItem[]
  /** Shows the label on the button instead of ⋯. */
  isNamed?: boolean
  onOpen?: () => void
}

export function Menu({ label, items, isNamed, onOpen }: MenuProps) {
  return (
    <BaseMenu.Root modal={false} onOpenChange={(isOpen) => isOpen && onOpen?.()}>
      {isNamed ? (
        <BaseMenu.Trigger className="inline-flex min-h-8 cursor-pointer items-center gap-1.5 rounded-md border border-line-strong bg-surface px-3 font-medium hover:bg-hover pointer-coarse:min-h-11">
          {label}
          <ChevronDown size={16} aria-hidden="true" />
        </BaseMenu.Trigger>
      ) : (
        <BaseMenu.Trigger
          aria-label={label}
          className="relative inline-flex size-8 shrink-0 cursor-pointer items-center justify-center rounded-md text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:size-11"
        >
          <Ellipsis size={16} aria-hidden="true" />
        </BaseMenu.Trigger>
      )}
      <BaseMenu.Portal>
        <BaseMenu.Positioner align="end" sideOffset={4}>
          <BaseMenu.Popup className="min-w-44 rounded-md border border-line bg-raised p-1 shadow-pop outline-none">
            {items.map(({ label: verb, icon: Icon, isDanger, shortcut, onSelect }) => (
              <BaseMenu.Item
                key={verb}
                onClick={onSelect}
                className={`flex min-h-8 cursor-pointer items-center gap-2 rounded-sm px-2 outline-none data-highlighted:bg-hover pointer-coarse:min-h-11 ${isDanger ? 'text-bad-ink' : 'text-ink'}`}
              >
                {Icon ? <Icon size={16} aria-hidden="true" /> : null}
                {verb}
                {shortcut ? (
                  <kbd className="ml-auto pl-4 font-sans text-xs text-ink-3">{shortcut}</kbd>
                ) : null}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}
