// Identifies files by SHA-256, computed in a separate thread.

import { webcrypto } from 'node:crypto'

export async function hashContent(content: Buffer): Promise<string> {
  const digest = await webcrypto.subtle.digest('SHA-256', content)
  return Buffer.from(digest).toString('base64url')
}
