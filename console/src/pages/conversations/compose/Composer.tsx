// Writes a reply: segments and price as counted by the service, pictures, and saved replies.

import { ImagePlus, MessageSquareQuote } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, lazy, Suspense, useRef, useState } from 'react'
import { ApiFailure } from '../../../api/request'
import { fieldsIn } from '../../../lib/fill-reply'
import { formatMoney, formatPhone } from '../../../lib/format'
import { adviceOf, describeSize, isBlank } from '../../../lib/text-meter'
import { type Counted, usePreview } from '../../../lib/use-preview'
import { useUpload } from '../../../lib/use-upload'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { Button } from '../../../ui/inputs/Button'
import { TextArea } from '../../../ui/inputs/Field'
import { FileButton } from '../../../ui/inputs/FileButton'
import { type ThreadKey, useConversation } from '../use-conversation'
import { Pictures } from './Pictures'
import type { Letter } from './use-letter'

const SavedReplies = lazy(() => import('./SavedReplies'))
const MEDIA_MAX = 10

interface ComposerProps {
  letter: Letter
  conversation: ThreadKey
}

export function Composer({ letter, conversation }: ComposerProps) {
  const { body, media, write, send, isSending } = letter
  const [isChoosing, setChoosing] = useState(false)
  const area = useRef<HTMLDivElement>(null)
  const counted = usePreview(body, { media })
  const advice = adviceOf({ body, preview: counted.preview })
  const isLong = advice?.kind === 'long'
  const upload = useUpload((url) => write({ media: [...media, url].slice(0, MEDIA_MAX) }))
  const blocked = blockOf(body, isLong ? advice.text : null, upload.isBusy)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!blocked) send()
  }
  const hear = (event: KeyboardEvent) => {
    if (event.key === 'Escape') (event.target as HTMLElement).blur()
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
  }
  const insert = (text: string) => {
    setChoosing(false)
    write({ body: insertAt(area.current?.querySelector('textarea') ?? null, body, text) })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      {upload.error ? <ErrorNotice error={upload.error} isAnswer /> : null}
      <Pictures
        urls={media}
        isUploading={upload.isBusy}
        onRemove={(url) => write({ media: media.filter((one) => one !== url) })}
      />
      <div ref={area}>
        <TextArea
          aria-label={`Message to ${formatPhone(conversation.phone)}`}
          placeholder="Write a message"
          rows={2}
          dir="auto"
          value={body}
          readOnly={isSending}
          aria-invalid={isLong}
          aria-describedby="composer-count"
          onChange={(event) => write({ body: event.target.value })}
          onKeyDown={hear}
          onPaste={(event) => {
            const [file] = event.clipboardData.files
            if (file) upload.run(file)
          }}
          className="max-h-40 min-h-14! resize-none field-sizing-content"
        />
      </div>
      <div className="flex items-center gap-1">
        <FileButton
          label="Add picture"
          accept="image/*"
          onFile={upload.run}
          blocked={media.length >= MEDIA_MAX && `At most ${MEDIA_MAX} pictures`}
        >
          <ImagePlus size={16} aria-hidden="true" />
        </FileButton>
        <Button
          look="quiet"
          className="px-2"
          aria-label="Saved replies"
          title="Saved replies"
          onClick={() => setChoosing(true)}
        >
          <MessageSquareQuote size={16} aria-hidden="true" />
        </Button>
        <p id="composer-count" className="min-w-0 flex-1 px-1 text-sm text-ink-2">
          {isLong ? <span className="text-bad-ink">{advice.text}</span> : wordsOf(counted)}
          {advice && !isLong ? (
            <span className={`block ${advice.isWarning ? 'text-warn-ink' : ''}`}>
              {advice.text}
            </span>
          ) : null}
          <EmptyFields body={body} />
        </p>
        <kbd className="px-2 font-sans text-xs text-ink-3 max-md:hidden">Ctrl ⏎</kbd>
        <Button type="submit" look="filled" busy={isSending && 'Sending…'} blocked={blocked}>
          {counted.preview ? `Send · ${formatMoney(counted.preview.price)}` : 'Send'}
        </Button>
      </div>
      <Suspense>
        {isChoosing ? (
          <Choose
            conversation={conversation}
            onInsert={insert}
            onClose={() => setChoosing(false)}
          />
        ) : null}
      </Suspense>
    </form>
  )
}

interface ChooseProps {
  conversation: ThreadKey
  onInsert: (text: string) => void
  onClose: () => void
}

function Choose({ conversation, onInsert, onClose }: ChooseProps) {
  const { contact } = useConversation(conversation)
  return <SavedReplies contact={contact} onInsert={onInsert} onClose={onClose} />
}

function EmptyFields({ body }: { body: string }) {
  const fields = fieldsIn(body)
  if (fields.length === 0) return null
  return (
    <span className="block text-warn-ink">
      Fill in {fields.map((field) => `{{${field}}}`).join(', ')} before you send.
    </span>
  )
}

function blockOf(body: string, tooLong: string | null, isUploading: boolean): string | null {
  if (isBlank(body)) return 'Write a message first'
  if (isUploading) return 'Wait for the upload'
  const [field] = fieldsIn(body)
  return tooLong ?? (field ? `Fill in {{${field}}} first` : null)
}

/** At the cursor, or at the end of what was written. */
function insertAt(field: HTMLTextAreaElement | null, body: string, text: string): string {
  const from = field?.selectionStart ?? body.length
  const to = field?.selectionEnd ?? body.length
  return body.slice(0, from) + text + body.slice(to)
}

/** Counted by the service. The last answer stays until the next one arrives. */
function wordsOf({ preview, isCounting, error }: Counted): string {
  if (error && !(error instanceof ApiFailure)) {
    return 'Couldn’t count segments: no connection. You can still send.'
  }
  return preview ? `${describeSize(preview)}${isCounting ? ' …' : ''}` : isCounting ? '…' : ''
}
