// A brand as its reviewer sees it, with notes by field and the decision. A verified brand gets its score here.

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { OperatorGetBrandReply } from '../../../../generated/types.gen'
import { reviewedBrandQuery } from '../../../api/operator-queries'
import { request } from '../../../api/request'
import { useAct } from '../../../lib/use-act'
import { useDraft } from '../../../lib/use-draft'
import { brandState } from '../../../ui/display/states'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
import { Field, Input } from '../../../ui/inputs/Field'
import { Skeleton } from '../../../ui/layout/Page'
import { Decision } from './Decision'
import { brandFields } from './fields'
import { type Notes, RecordFields } from './RecordFields'
import { RecordFrame } from './RecordFrame'

export function BrandRecord() {
  const { id } = useParams({ from: '/operator/reviews/brand/$id' })
  const { data, error, refetch } = useQuery(reviewedBrandQuery(id))
  if (error) {
    return (
      <ErrorNotice
        error={error}
        hint="The brand could not be loaded. Your notes are saved in this browser."
        onRetry={() => void refetch()}
      />
    )
  }
  if (!data) return <Skeleton rows={12} />
  return <BrandReview key={id} reply={data} />
}

function BrandReview({ reply: { brand, review } }: { reply: OperatorGetBrandReply }) {
  const [notes, setNotes, draft] = useDraft<Notes>(`review-${brand.id}`, {})
  const isPending = brand.status === 'PENDING'
  const name = brand.displayName || brand.entityName || brand.id
  return (
    <RecordFrame
      id={brand.id}
      name={name}
      state={brandState(brand)}
      accountId={brand.accountId}
      review={review}
    >
      <RecordFields
        fields={brandFields(brand)}
        lastReturn={isPending ? review.lastReturn : null}
        notes={notes}
        onNote={isPending ? (field, note) => setNotes({ ...notes, [field]: note }) : null}
      />
      {isPending ? (
        <Decision
          kind="brand"
          id={brand.id}
          name={name}
          notes={notes}
          meaning={`Verify ${name}? Its campaigns can then be reviewed.`}
          onDecided={draft.clear}
        />
      ) : null}
      {brand.status === 'VERIFIED' || brand.status === 'VETTED' ? (
        <Vetting id={brand.id} score={brand.trustScore ?? null} />
      ) : null}
    </RecordFrame>
  )
}

function Vetting({ id, score }: { id: string; score: number | null }) {
  const [text, setText] = useState(score === null ? '' : String(score))
  const vet = useAct(
    (key, trustScore: number) =>
      request('POST /operator/v1/brand/{id}/vet', { path: { id }, body: { trustScore }, key }),
    { onDone: (_, trustScore) => toast(`Trust score set to ${trustScore}`) },
  )
  const isScore = /^\d{1,3}$/.test(text.trim()) && Number(text) <= 100
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isScore) vet.run(Number(text))
  }
  return (
    <form onSubmit={submit} className="mt-4 flex flex-wrap items-end gap-3">
      <div className="w-64">
        <Field
          label="Trust score"
          help="0 to 100. Sets the limits of campaigns that follow the brand’s score."
        >
          {(tied) => (
            <Input
              {...tied}
              inputMode="numeric"
              maxLength={3}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Button
        look="filled"
        type="submit"
        busy={vet.isBusy && 'Saving…'}
        blocked={!isScore && 'Enter a whole number from 0 to 100'}
      >
        {score === null ? 'Vet' : 'Change score'}
      </Button>
      {vet.error ? <ErrorNotice error={vet.error} isAnswer /> : null}
    </form>
  )
}
