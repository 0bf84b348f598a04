// The skeleton provider: the fewest fields that a link can have, and no numbers, registration, or setup.

import { Type } from 'typebox'
import { defineProvider, urlField } from '../../../src/carriers/providers/provider-module.js'
import { secret } from '../../../src/kit/settings-file/field-schemas.js'
import { SKELETON_CODES } from './codes.js'
import { createSkeleton } from './messages.js'

export const skeleton = defineProvider({
  name: 'skeleton',
  title: 'Skeleton',
  codes: SKELETON_CODES,
  media: { bytesMax: 500_000, otherBytesMax: 500_000 },
  fields: Type.Object({ url: urlField('https://api.skeleton.test'), key: secret(1, 100) }),
  secrets: ['key'],
  readAccount: ({ url, key }) => ({
    ...{ id: key, secret: key },
    createMessages: () => createSkeleton({ url, key }),
  }),
})
