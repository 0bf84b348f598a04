// How the console looks in this browser.

import { Radio } from '../../ui/inputs/Field'
import { Card } from '../../ui/layout/Page'
import { setTheme, THEMES, type Theme, useTheme } from '../../ui/shell/use-theme'
import { SettingsPage } from './SettingsPage'

const WORDS: Record<Theme, { label: string; help: string }> = {
  system: {
    label: 'System',
    help: 'Matches your system setting.',
  },
  light: { label: 'Light', help: 'Dark text on a light background.' },
  dark: { label: 'Dark', help: 'Light text on a dark background.' },
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
          Saved in this browser. Times are shown in your time zone,{' '}
          {Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ')}. Hover over a time
          to see UTC.
        </p>
      </Card>
    </SettingsPage>
  )
}
