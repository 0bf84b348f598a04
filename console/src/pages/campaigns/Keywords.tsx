// Keywords and their replies, editable at any time, with a preview on a phone.

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Campaign, PatchCampaignBody } from '../../../generated/types.gen'
import { campaignQuery } from '../../api/registry-queries'
import { ApiFailure, request } from '../../api/request'
import { plural } from '../../lib/format'
import { describeFill } from '../../lib/text-meter'
import { useAct } from '../../lib/use-act'
import { useDraft } from '../../lib/use-draft'
import { usePreview } from '../../lib/use-preview'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Field, Switch, TextArea } from '../../ui/inputs/Field'
import { Card } from '../../ui/layout/Page'
import { KeywordChips } from './KeywordChips'
import { type KeywordValues, KINDS, keywordBody, keywordValues } from './keyword-values'
import { ReplyPreview } from './ReplyPreview'

export function CampaignKeywords() {
  const { id } = useParams({ from: '/shell/campaigns/$id' })
  const { data } = useQuery(campaignQuery(id))
  if (!data) return null
  // Starts over after a change, here or elsewhere.
  return <KeywordForm key={data.campaign.updatedAt} campaign={data.campaign} />
}

function KeywordForm({ campaign }: { campaign: Campaign }) {
  const path = `/v1/campaign/${campaign.id}`
  const [values, setValues, draft] = useDraft(`keywords-${campaign.id}`, keywordValues(campaign))
  const act = useAct(
    (_key, body: PatchCampaignBody) =>
      request('PATCH /v1/campaign/{id}', { path: { id: campaign.id }, body }),
    { onDone: draft.clear },
  )
  const problems = act.error instanceof ApiFailure ? act.error.details : []
  const problemOf = (name: string) => {
    const found = problems.find(({ field }) => field === name || field.startsWith(`${name}[`))
    return found && `${found.field} ${found.problem}`
  }
  const isEnded = campaign.status === 'ENDED'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (draft.isKept && !isEnded) act.run(keywordBody(values))
  }
  const set = (change: Partial<KeywordValues>) => {
    act.reset()
    setValues({ ...values, ...change })
  }
  return (
    <form onSubmit={submit} className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="flex min-w-0 flex-col gap-4">
        {KINDS.map(({ kind, label, what }) => (
          <Card key={kind} title={label}>
            <p className="mb-3 text-ink-2">{what}</p>
            <div className="flex flex-col gap-4">
              <KeywordChips
                label={`${label} keywords`}
                words={values[`${kind}Keywords`]}
                isOptout={kind === 'optout'}
                problem={problemOf(`${kind}Keywords`)}
                onChange={(words) => set({ [`${kind}Keywords`]: words })}
              />
              <ReplyField
                label={`${label} reply`}
                text={values[`${kind}Message`]}
                problem={problemOf(`${kind}Message`)}
                onChange={(text) => set({ [`${kind}Message`]: text })}
              />
              {kind === 'optout' ? (
                <Switch
                  label="Honor opt-out requests that don’t use a keyword"
                  help="“Please stop texting me” works like STOP. The law requires honoring any reasonable request."
                  isChecked={values.actsOnNearOptout}
                  onChange={(actsOnNearOptout) => set({ actsOnNearOptout })}
                />
              ) : null}
            </div>
          </Card>
        ))}
        {act.error && problems.length === 0 ? <ErrorNotice error={act.error} isAnswer /> : null}
        <div className="flex flex-wrap items-center gap-2">
          <Button
            look="filled"
            type="submit"
            busy={act.isBusy && 'Saving…'}
            blocked={isEnded ? 'The campaign has ended' : !draft.isKept && 'No changes yet'}
          >
            Save keywords and replies
          </Button>
          {draft.isKept ? (
            <>
              <Button look="quiet" onClick={draft.clear}>
                Undo changes
              </Button>
              <span className="text-sm text-ink-2">Draft saved in this browser</span>
            </>
          ) : null}
          <ApiRequestButton request={{ method: 'PATCH', path, body: keywordBody(values) }} />
        </div>
      </div>
      <ReplyPreview values={values} />
    </form>
  )
}

interface ReplyProps {
  label: string
  text: string
  problem: string | undefined
  onChange: (text: string) => void
}

function ReplyField({ label, text, problem, onChange }: ReplyProps) {
  const { preview, isCounting } = usePreview(text)
  const [isLeft, setLeft] = useState(false)
  const size = preview ? `${describeFill(preview)} · ${plural(preview.numSegments, 'segment')}` : ''
  return (
    <Field label={label} error={problem}>
      {(tied) => (
        <>
          <TextArea
            {...tied}
            dir="auto"
            rows={3}
            maxLength={1500}
            value={text}
            onBlur={() => setLeft(true)}
            onChange={(event) => onChange(event.target.value)}
          />
          <p className="flex min-h-5 flex-wrap justify-between gap-x-3 text-sm text-ink-2">
            <span>
              {text.trim() === ''
                ? `Restores the default${isLeft ? ' when you save' : ''}`
                : `${size} · free${isCounting ? ' …' : ''}`}
            </span>
            {text.trim() === '' ? null : (
              <button
                type="button"
                className="cursor-pointer text-accent-ink underline pointer-coarse:min-h-11"
                onClick={() => onChange('')}
              >
                Use default
              </button>
            )}
          </p>
        </>
      )}
    </Field>
  )
}
