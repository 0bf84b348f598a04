// Views of one thing, one at a time, in place. Sections with separate URLs use TabLinks.

import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export interface Tab {
  name: string
  content: ReactNode
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <BaseTabs.Root defaultValue={tabs[0]!.name} className="flex flex-col gap-3">
      <BaseTabs.List aria-label={label} className="flex gap-1 border-b border-line">
        {tabs.map(({ name }) => (
          <BaseTabs.Tab
            key={name}
            value={name}
            className="-mb-px min-h-9 cursor-pointer border-b-2 border-transparent px-2 text-ink-2 data-active:border-accent data-active:font-medium data-active:text-ink pointer-coarse:min-h-11"
          >
            {name}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map(({ name, content }) => (
        <BaseTabs.Panel key={name} value={name}>
          {content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  )
}
