// The keys of the keyboard, and the switch for those that are single letters.

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
    <SettingsPage title="keys">
      <Card className="max-w-180">
        <Switch
          label="Single-letter keys"
          help="Off: for whoever speaks to the machine, or types with care. ⌘K, Enter and Escape work all the same. Kept in this browser."
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
