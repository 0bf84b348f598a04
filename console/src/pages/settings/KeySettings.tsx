// The keyboard shortcuts, and the switch for single-letter ones.

import { setKeysOn, useKeysOn } from '../../lib/key-settings'
import { Switch } from '../../ui/Field'
import { KeyList, keyLines } from '../../ui/KeyList'
import { KEYS } from '../../ui/KeysDialog'
import { Card } from '../../ui/Page'
import { usePlaces } from '../../ui/use-places'
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
