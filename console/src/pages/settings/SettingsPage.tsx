// The frame of the settings pages.

import type { ReactNode } from 'react'
import { Page } from '../../ui/layout/Page'
import { type TabLink, TabLinks } from '../../ui/layout/TabLinks'

const TABS: readonly TabLink[] = [
  { label: 'Account', link: { to: '/settings/account' } },
  { label: 'People', link: { to: '/settings/people' } },
  { label: 'Tokens', link: { to: '/settings/tokens' } },
  { label: 'Activity', link: { to: '/settings/activity' } },
  { label: 'Appearance', link: { to: '/settings/appearance' } },
  { label: 'Shortcuts', link: { to: '/settings/keys' } },
]

interface SettingsPageProps {
  /** The title of the settings page. */
  title: string
  actions?: ReactNode
  children: ReactNode
}

export function SettingsPage({ title, actions, children }: SettingsPageProps) {
  return (
    <Page title={`Settings: ${title}`} actions={actions}>
      <TabLinks label="Settings" tabs={TABS} />
      {children}
    </Page>
  )
}
