// Credits an account or corrects its balance, with a confirmation that shows the new balance.

import { type FormEvent, useState } from 'react'
import type { OperatedAccount } from '../../../../generated/types.gen'
import { ApiFailure, request } from '../../../api/request'
import { formatMoney } from '../../../lib/format'
import { useAct } from '../../../lib/use-act'
import { useDraft } from '../../../lib/use-draft'
import { ApiRequestButton } from '../../../ui/display/ApiRequest'
import { Confirm } from '../../../ui/feedback/Dialog'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
import { Field, Input, Radio } from '../../../ui/inputs/Field'

const KINDS = {
  credit: { label: 'Credit', help: 'Money received.' },
  correct: {
    label: 'Correction',
    help: 'Recorded as a separate ledger entry. Enter a negative amount to deduct, up to the account’s balance.',
  },
} as const
type Kind = keyof typeof KINDS

const EMPTY: { kind: Kind; amount: string; note: string; reference: string } = {
  kind: 'credit',
  amount: '',
  note: '',
  reference: '',
}

export function MoneyForm({ account }: { account: OperatedAccount }) {
  const [fields, setFields, draft] = useDraft(`money-${account.id}`, EMPTY)
  const [isAsking, setAsking] = useState(false)
  const amount = Number(fields.amount.replace(/[$,\s]/g, '').replace('−', '-'))
  const { note, reference } = { note: fields.note.trim(), reference: fields.reference.trim() }
  const body = { amount, note, ...(reference !== '' && { reference }) }
  const path = `/operator/v1/account/${account.id}/${fields.kind}`
  const move = useAct(
    (key) =>
      request(`POST /operator/v1/account/{id}/${fields.kind}`, {
        path: { id: account.id },
        body,
        key,
      }),
    {
      onDone: () => {
        setAsking(false)
        draft.clear()
        toast(`${verbOf(fields.kind, amount)}: ${formatMoney(Math.abs(amount))}`)
      },
    },
  )
  const blocked = blockedBy(fields.kind, fields.amount, amount, note)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!blocked) setAsking(true)
  }
  const details = move.error instanceof ApiFailure ? move.error.details : []
  const problemOf = (name: string) => details.find(({ field }) => field === name)?.problem
  const text = (name: 'amount' | 'note' | 'reference') => ({
    value: fields[name],
    onChange: (event: { target: { value: string } }) =>
      setFields({ ...fields, [name]: event.target.value }),
  })
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <fieldset className="flex flex-wrap gap-x-6 gap-y-2">
        <legend className="sr-only">Entry type</legend>
        {(Object.keys(KINDS) as Kind[]).map((kind) => (
          <Radio
            key={kind}
            name={`kind-${account.id}`}
            label={KINDS[kind].label}
            help={KINDS[kind].help}
            isChecked={fields.kind === kind}
            onChange={() => setFields({ ...fields, kind })}
          />
        ))}
      </fieldset>
      <Field label="Amount in dollars" error={problemOf('amount')}>
        {(tied) => <Input {...tied} inputMode="decimal" {...text('amount')} />}
      </Field>
      <Field label="Note" help="Shown to the customer in the ledger." error={problemOf('note')}>
        {(tied) => <Input {...tied} maxLength={500} {...text('note')} />}
      </Field>
      <Field
        label="Reference"
        isOptional
        help="Your own ID, such as a payment number. Duplicates are refused."
        error={problemOf('reference')}
      >
        {(tied) => <Input {...tied} maxLength={200} {...text('reference')} />}
      </Field>
      {draft.isKept ? <p className="text-sm text-ink-3">Draft saved in this browser</p> : null}
      <div className="flex flex-wrap gap-2">
        <Button look="filled" type="submit" blocked={blocked}>
          {verbOf(fields.kind, amount)}
          {blocked ? '' : ` · ${formatMoney(amount)}`}
        </Button>
        <ApiRequestButton request={{ method: 'POST', path, body }} />
      </div>
      {isAsking ? (
        <Confirm
          title={sentenceOf(amount, account)}
          consequence={`Ledger note: ${note}`}
          verb={verbOf(fields.kind, amount)}
          busy={move.isBusy && 'Saving…'}
          error={move.error}
          onConfirm={() => move.run()}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </form>
  )
}

function blockedBy(kind: Kind, text: string, amount: number, note: string): string | false {
  if (text.trim() === '' || !Number.isFinite(amount) || amount === 0) return 'Enter an amount first'
  if (kind === 'credit' && amount < 0)
    return 'A credit must be more than $0. Use Correction to deduct.'
  return note === '' && 'Enter a note first'
}

function verbOf(kind: Kind, amount: number): string {
  if (kind === 'credit') return 'Add credit'
  return amount < 0 ? 'Deduct' : 'Correct balance'
}

/** "Add $100.00 to acme? New balance: $178.41." */
function sentenceOf(amount: number, { name, balance }: OperatedAccount): string {
  const after = formatMoney(Math.round((balance + amount) * 1e6) / 1e6)
  const size = formatMoney(Math.abs(amount))
  const verb = amount < 0 ? `Deduct ${size} from` : `Add ${size} to`
  return `${verb} ${name}? New balance: ${after}.`
}
