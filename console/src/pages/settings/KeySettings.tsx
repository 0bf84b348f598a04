// The keyboard shortcuts, and the switch for single-letter ones.

import { setKeysOn, useKeysOn } from '../../lib/key-settings'
import { Switch } from '../../ui/inputs/Field'
import { Card } from '../../ui/layout/Page'
import { KeyList, keyLines } from '../../ui/shell/KeyList'
import { KEYS } from '../../ui/shell/KeysDialog'
import { usePlaces } from '../../ui/shell/use-places'
import { SettingsPage } from './SettingsPage'

export function KeySettings() {
  const isOn = useKeysOn()
  const places = usePlaces().flatMap((group) => group.places)
  return (
    <SettingsPage title="keyboard shortcuts">
      <Card className="max-w-180">
        <Switch
          label="Single-letter shortcuts"
          help="Turn these off if you use speech input. ⌘K, Enter, and Escape still work. Saved in this browser."
          isChecked={isOn}
          onChange={setKeysOn}
        />
        <div className="mt-4">
          <KeyList lines={keyLines(KEYS, places)} />
        </div>
      </Card>
    </SettingsPage>
  )
}
