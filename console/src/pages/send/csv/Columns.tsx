// Which column is what, and which text is sent: each row's own, or one text with placeholders.

import type { Dispatch } from 'react'
import { type Choices, metadataNames, unusedColumns } from '../../../lib/batch/plan'
import { usePreview } from '../../../lib/use-preview'
import { Field, Radio, Select, TextArea } from '../../../ui/inputs/Field'
import { SegmentMeter } from '../../../ui/inputs/SegmentMeter'

interface ColumnsProps {
  header: readonly string[]
  choices: Choices
  /** The text of the first valid row. */
  sample: string
  set: Dispatch<Partial<Choices>>
}

export function Columns({ header, choices, sample, set }: ColumnsProps) {
  const { mapping, template } = choices
  const isTemplate = template !== null
  const map = (change: Partial<Choices['mapping']>) => set({ mapping: { ...mapping, ...change } })
  const metadata = metadataNames(header).map(({ name }) => name)
  const unused = unusedColumns(header, choices)
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-1">
        <Column
          label="Phone number column"
          header={header}
          value={mapping.to}
          onChoose={(to) => map({ to })}
        />
        <Column
          label="Sender column"
          none="None: use the sender above"
          header={header}
          value={mapping.from}
          onChoose={(from) => map({ from })}
        />
      </div>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">Text</legend>
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          <Radio
            name="text"
            label="From a column"
            isChecked={!isTemplate}
            onChange={() => set({ template: null })}
          />
          <Radio
            name="text"
            label="Same text for all rows"
            isChecked={isTemplate}
            onChange={() => set({ template: template ?? '' })}
          />
        </div>
        {isTemplate ? (
          <Template
            header={header}
            template={template}
            sample={sample}
            onChange={(text) => set({ template: text })}
          />
        ) : (
          <Column
            label="Text column"
            header={header}
            value={mapping.body}
            onChoose={(body) => map({ body })}
          />
        )}
      </fieldset>
      {metadata.length > 0 ? (
        <p className="text-sm text-ink-2">Metadata: {metadata.join(', ')}</p>
      ) : null}
      {unused.length > 0 ? (
        <p className="text-sm wrap-anywhere text-ink-2">
          Not used: {unused.slice(0, 20).join(', ')}
          {unused.length > 20 ? ` and ${unused.length - 20} more` : ''}
        </p>
      ) : null}
    </div>
  )
}

interface ColumnProps {
  label: string
  none?: string
  header: readonly string[]
  value: number | null
  onChoose: (column: number | null) => void
}

function Column({ label, none = 'choose', header, value, onChoose }: ColumnProps) {
  const options = header.map((name, i) => ({ value: String(i), label: name || `column ${i + 1}` }))
  return (
    <Field label={label}>
      {(tied) => (
        <Select
          {...tied}
          value={value === null ? '' : String(value)}
          options={[{ value: '', label: none }, ...options]}
          onChange={({ target }) => onChoose(target.value === '' ? null : Number(target.value))}
        />
      )}
    </Field>
  )
}

interface TemplateProps {
  header: readonly string[]
  template: string
  sample: string
  onChange: (template: string) => void
}

function Template({ header, template, sample, onChange }: TemplateProps) {
  const names = header.slice(0, 12).map((name) => `{${name}}`)
  const counted = usePreview(sample)
  return (
    <>
      <Field label="Text for all rows" help={`Placeholders: ${names.join(' ')}`}>
        {(tied) => (
          <TextArea
            {...tied}
            dir="auto"
            rows={4}
            value={template}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
      {template !== '' && sample !== '' ? (
        <div>
          <p className="mb-1 text-sm text-ink-2">First row</p>
          <SegmentMeter
            isSmall
            body={sample}
            edited={template}
            counted={counted}
            onChange={onChange}
          />
        </div>
      ) : null}
    </>
  )
}
