// How the console looks in this browser.

import { Radio } from '../../ui/Field'
import { Card } from '../../ui/Page'
import { setTheme, THEMES, type Theme, useTheme } from '../../ui/use-theme'
import { SettingsPage } from './SettingsPage'

const WORDS: Record<Theme, { label: string; help: string }> = {
  system: {
    label: 'As the system',
    help: 'Light by day and dark by night, if your system does so.',
  },
  light: { label: 'Light', help: 'Dark ink on cool paper.' },
  dark: { label: 'Dark', help: 'Light ink on slate.' },
}

export function Appearance() {
  const { theme } = useTheme()
  return (
    <SettingsPage title="appearance">
      <Card className="max-w-180">
        <fieldset className="flex flex-col gap-3">
          <legend className="mb-3 text-lg font-semibold">Theme</legend>
          {THEMES.map((name) => (
            <Radio
              key={name}
              name="theme"
              {...WORDS[name]}
              isChecked={theme === name}
              onChange={() => setTheme(name)}
            />
          ))}
        </fieldset>
        <p className="mt-4 text-sm text-ink-2">
          Kept in this browser. Times are in your zone,{' '}
          {Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ')}; UTC is behind
          each of them.
        </p>
      </Card>
    </SettingsPage>
  )
}
