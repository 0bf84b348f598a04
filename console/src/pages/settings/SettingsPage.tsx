// The frame of the settings pages.

import type { ReactNode } from 'react'
import { useSession } from '../../api/session'
import { Page } from '../../ui/layout/Page'
import { type TabLink, TabLinks } from '../../ui/layout/TabLinks'

interface SettingsTab extends TabLink {
  /** Shown only to people and tokens with this scope. */
  scope?: 'read' | 'manage'
}

const TABS: readonly SettingsTab[] = [
  { label: 'Account', link: { to: '/settings/account' } },
  { label: 'People', link: { to: '/settings/people' }, scope: 'read' },
  { label: 'Tokens', link: { to: '/settings/tokens' }, scope: 'manage' },
  { label: 'Activity', link: { to: '/settings/activity' }, scope: 'manage' },
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
  const { account } = useSession()
  const tabs = TABS.filter(({ scope }) => !scope || account?.scopes.includes(scope))
  return (
    <Page title={`Settings: ${title}`} actions={actions}>
      <TabLinks label="Settings" tabs={tabs} />
      {children}
    </Page>
  )
}
