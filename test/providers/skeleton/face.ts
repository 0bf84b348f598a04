// The API format of the skeleton provider, for the fake provider.

import type { Face } from '../fake-provider.js'

export function skeletonFace(key: string): Face {
  const headers = { authorization: `Bearer ${key}` }
  const callback = (url: string, fields: object) => ({ url, headers, body: JSON.stringify(fields) })
  return {
    document: null,
    read: (_request, body) => {
      const fields = JSON.parse(body)
      const { from, to, text, statusUrl } = fields
      return { from, to, text, statusUrl, tag: null, fields }
    },
    taken: ({ id }) => ({ status: 202, body: { id } }),
    refused: (code) => ({ status: 400, body: { code } }),
    lookedUp: () => null,
    list: () => [],
    receipt: ({ id, from, to, statusUrl }, base, { status }) =>
      callback(statusUrl ?? base, { id, from, to, status }),
    inbound: ({ id, from, to, text }, base) => callback(base, { id, from, to, text }),
  }
}
