// Money for an account, or a correction either way: with a second look that names the balance to be.

import { type FormEvent, useState } from 'react'
import type { OperatedAccount } from '../../../../generated/types.gen'
import { ApiFailure } from '../../../api/call'
import { operate } from '../../../api/operator-queries'
import { formatMoney } from '../../../lib/format'
import { useAct } from '../../../lib/use-act'
import { useDraft } from '../../../lib/use-draft'
import { ApiCallButton } from '../../../ui/ApiCall'
import { Button } from '../../../ui/Button'
import { Confirm } from '../../../ui/Dialog'
import { Field, Input, Radio } from '../../../ui/Field'
import { toast } from '../../../ui/Toast'

const KINDS = {
  credit: { label: 'Credit', help: 'Money that came in.', path: 'credit' },
  correct: {
    label: 'Correction',
    help: 'An entry of its own; negative takes, at most what the account has.',
    path: 'correct',
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
  const path = `/account/${account.id}/${KINDS[fields.kind].path}`
  const move = useAct((key) => operate('POST', path, { body, key }), {
    onDone: () => {
      setAsking(false)
      draft.clear()
      toast(`${verbOf(fields.kind, amount)}: ${formatMoney(Math.abs(amount))}`)
    },
  })
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
        <legend className="sr-only">Kind of entry</legend>
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
      <Field label="Note" help="The customer reads it in the ledger." error={problemOf('note')}>
        {(tied) => <Input {...tied} maxLength={500} {...text('note')} />}
      </Field>
      <Field
        label="Reference"
        isOptional
        help="Your own, such as a payment’s number: the same one twice is refused."
        error={problemOf('reference')}
      >
        {(tied) => <Input {...tied} maxLength={200} {...text('reference')} />}
      </Field>
      {draft.isKept ? <p className="text-sm text-ink-3">Draft kept in this browser.</p> : null}
      <div className="flex flex-wrap gap-2">
        <Button look="filled" type="submit" blocked={blocked}>
          {verbOf(fields.kind, amount)}
          {blocked ? '' : ` · ${formatMoney(amount)}`}
        </Button>
        <ApiCallButton call={{ method: 'POST', path: `/operator/v1${path}`, body }} />
      </div>
      {isAsking ? (
        <Confirm
          title={sentenceOf(fields.kind, amount, account)}
          consequence={`The ledger says: ${note}`}
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
  if (text.trim() === '' || !Number.isFinite(amount) || amount === 0) return 'Give an amount first'
  if (kind === 'credit' && amount < 0) return 'A credit is above 0: correct to take money back'
  return note === '' && 'Write a note first: the customer reads it'
}

function verbOf(kind: Kind, amount: number): string {
  if (kind === 'credit') return 'Add credit'
  return amount < 0 ? 'Take money back' : 'Correct the balance'
}

/** "Add $100.00 to acme. Balance becomes $178.41." */
function sentenceOf(kind: Kind, amount: number, { name, balance }: OperatedAccount): string {
  const after = formatMoney(Math.round((balance + amount) * 1e6) / 1e6)
  const size = formatMoney(Math.abs(amount))
  const verb = amount < 0 ? `Take ${size} from` : `${kind === 'credit' ? 'Add' : 'Give'} ${size} to`
  return `${verb} ${name}. Balance becomes ${after}.`
}
