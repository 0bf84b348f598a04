// Which kinds of alerts are muted, and how many days the balance should last.

import { type FormEvent, useState } from 'react'
import type { AlertSettings } from '../../../generated/types.gen'
import { ApiFailure, request } from '../../api/request'
import { useSession } from '../../api/session'
import { ALERT_TITLES } from '../../lib/attention'
import { useAct } from '../../lib/use-act'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { toast } from '../../ui/feedback/Toast'
import { Button } from '../../ui/inputs/Button'
import { Checkbox, Field, Input } from '../../ui/inputs/Field'

type Kind = AlertSettings['mutedKinds'][number]

const KINDS: readonly Kind[] = [
  'network_delivery',
  'campaign_delivery',
  'error_spike',
  'webhook_failing',
  'balance_low',
  'campaign_trouble',
  'number_trouble',
]

export function AlertSettingsForm({ settings }: { settings: AlertSettings }) {
  const [muted, setMuted] = useState<readonly Kind[]>(settings.mutedKinds)
  const [days, setDays] = useState(String(settings.balanceDays))
  const mayChange = useMayChange()
  const save = useAct(
    (key, body: AlertSettings) => request('PUT /v1/alert/settings', { body, key }),
    { onDone: () => toast('Alert settings saved') },
  )
  const balanceDays = Number(days)
  const isWhole = Number.isInteger(balanceDays) && balanceDays >= 1 && balanceDays <= 90
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isWhole) save.run({ mutedKinds: [...muted], balanceDays })
  }
  const toggle = (kind: Kind, isOn: boolean) =>
    setMuted(isOn ? muted.filter((one) => one !== kind) : [...muted, kind])
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <fieldset>
        <legend className="font-medium">Notify about</legend>
        <p className="text-sm text-ink-2">
          On the overview, by email to owners and admins, and to webhooks that list alerts. A kind
          that is off is still listed above.
        </p>
        <div className="mt-2 flex flex-col">
          {KINDS.map((kind) => (
            <Checkbox
              key={kind}
              label={ALERT_TITLES[kind]}
              isChecked={!muted.includes(kind)}
              blocked={!mayChange}
              onChange={(isOn) => toggle(kind, isOn)}
            />
          ))}
        </div>
      </fieldset>
      <Field
        label="Days that the balance should last"
        help="You get an alert if it lasts fewer days at the pace of the last seven days."
        error={isWhole ? null : 'Enter a whole number from 1 to 90.'}
      >
        {(tied) => (
          <Input
            {...tied}
            inputMode="numeric"
            autoComplete="off"
            maxLength={3}
            disabled={!mayChange}
            value={days}
            onChange={(event) => setDays(event.target.value)}
          />
        )}
      </Field>
      {save.error instanceof ApiFailure ? <ErrorNotice error={save.error} isAnswer /> : null}
      <div>
        <Button
          type="submit"
          busy={save.isBusy && 'Saving…'}
          blocked={
            (!mayChange && 'Only owners and admins can change this') ||
            (!isWhole && 'Enter the number of days first')
          }
        >
          Save
        </Button>
      </div>
    </form>
  )
}

/** As the API decides: owners and admins, or a token that may manage. */
function useMayChange(): boolean {
  const { account, user } = useSession()
  const role = user?.accounts.find(({ accountId }) => accountId === account?.accountId)?.role
  if (user) return role === 'owner' || role === 'admin'
  return account?.scopes.includes('manage') ?? false
}
