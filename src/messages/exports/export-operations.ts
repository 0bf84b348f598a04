// The endpoints of exports, as declared to the HTTP layer and openapi.json, and an export as they show it.

import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import {
  IdParams,
  Noun,
  NullableString,
  NullableTimestamp,
  RequiredText,
  Timestamp,
} from '../../kit/contract/schema.js'
import { wireTime } from '../../kit/contract/wire-time.js'
import { timeOfId } from '../../kit/ids.js'
import { FilterShape } from '../reads/message-filter.js'
import {
  EXPORT_ROWS_MAX,
  EXPORT_STATUSES,
  EXPORTS_MAX,
  type MessageExport,
} from './message-export.js'

const COMMON = { tag: 'Messages', isExtension: true } as const
const NAME_LENGTH_MAX = 100

const ExportShape = Noun('MessageExport', {
  id: Type.String(),
  createdBy: {
    ...NullableString,
    description: 'The token or the person who requested it. null: from before this was recorded',
  },
  name: Type.String(),
  filter: FilterShape,
  status: Type.Enum([...EXPORT_STATUSES]),
  rows: Type.Integer({ description: 'Messages in the file so far' }),
  bytes: Type.Integer({ description: 'Size of the file so far' }),
  reachedAt: {
    ...NullableTimestamp,
    description:
      'How far the export has come: all matching messages created after this time are in the file. null: nothing is read yet',
  },
  truncated: Type.Boolean({
    description: `Whether the file stops at ${EXPORT_ROWS_MAX.toLocaleString('en')} messages although more match`,
  }),
  createdAt: Timestamp,
  finishedAt: NullableTimestamp,
  expiresAt: Timestamp,
})

const EXPORT_EXAMPLE = {
  id: 'exp_01km3v9w8m0000pqv3t5x7z9bd',
  createdBy: 'usr_01km3v9w8m0000pqv3t5x7z9bd',
  name: 'Failed in November',
  filter: {
    status: 'FAILED',
    since: '2026-11-01T00:00:00.000Z',
    until: '2026-11-18T15:00:00.000Z',
  },
  status: 'RUNNING',
  rows: 52_000,
  bytes: 10_873_212,
  reachedAt: '2026-11-09T08:12:44.120Z',
  truncated: false,
  createdAt: '2026-11-18T15:00:00.000Z',
  finishedAt: null,
  expiresAt: '2026-11-25T15:00:00.000Z',
}

export function wireExport(e: MessageExport) {
  return {
    id: e.id,
    createdBy: e.createdBy,
    name: e.name,
    filter: e.filter,
    status: e.status,
    rows: e.rowCount,
    bytes: e.byteCount,
    reachedAt: e.position === null ? null : wireTime(timeOfId(e.position)),
    truncated: e.isTruncated,
    createdAt: wireTime(e.createdAt),
    finishedAt: e.finishedAt && wireTime(e.finishedAt),
    expiresAt: wireTime(e.expiresAt),
  }
}

export const CREATE = operation({
  ...COMMON,
  id: 'createExport',
  summary: 'Export messages as a CSV file, in the background',
  description: `The file has the messages that match \`filter\` and were created before this request, newest first, at most ${EXPORT_ROWS_MAX.toLocaleString('en')}. One export of an account runs at a time. Read it until its \`status\` is DONE, then download it. It is deleted seven days after it is finished.`,
  scope: 'read',
  body: Type.Object({
    name: Type.Optional(
      RequiredText(NAME_LENGTH_MAX, { description: 'For the file name. Default: Messages' }),
    ),
    filter: Type.Optional({
      ...FilterShape,
      description: 'The filters of GET /v1/message/search. Default: all messages',
    }),
  }),
  bodyExample: { name: EXPORT_EXAMPLE.name, filter: { status: 'FAILED' } },
  reply: Type.Object({ success: Type.Literal(true), export: ExportShape }),
  example: { success: true, export: EXPORT_EXAMPLE },
  failure: { success: false },
  refuses: ['campaign_missing', 'export_running', 'exports_full'],
})

export const LIST = operation({
  ...COMMON,
  id: 'listExports',
  summary: 'List exports, newest first',
  description: `At most ${EXPORTS_MAX}, because an account can store that many.`,
  scope: 'read',
  reply: Type.Object({ exports: Type.Array(ExportShape) }),
  example: { exports: [EXPORT_EXAMPLE] },
  failure: { exports: [] },
})

export const GET = operation({
  ...COMMON,
  id: 'getExport',
  summary: 'Read the progress of an export, or download its file',
  description:
    'With `Accept: text/csv` or `format=csv`, the response is the file. Text that a spreadsheet would run as a formula starts with an apostrophe.',
  scope: 'read',
  params: IdParams,
  query: Type.Object({
    format: Type.Optional(
      Type.Enum(['json', 'csv'], { description: 'csv: the file, for links in a browser' }),
    ),
  }),
  reply: Type.Object({ export: ExportShape }),
  example: { export: EXPORT_EXAMPLE },
  otherForms: ['text/csv'],
  failure: { export: null },
  refuses: ['export_missing', 'export_unfinished'],
})

export const DELETE = operation({
  ...COMMON,
  id: 'deleteExport',
  summary: 'Cancel an export that is running, or delete its file',
  description:
    'People and tokens may delete exports that they requested. To delete those of others, they need the scope `manage`.',
  scope: 'read',
  params: IdParams,
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: EXPORT_EXAMPLE.id },
  failure: { success: false },
  refuses: ['export_missing', 'export_of_another'],
})
