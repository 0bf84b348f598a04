// The addresses of files as every process of the service seals and reads them: with one key, which the first of them
// makes and the database keeps.

import { randomBytes } from 'node:crypto'
import type { World } from '../../kit/world.js'
import { keepMediaKey } from '../media-queries.js'
import { SealedAddresses } from './sealed-address.js'

const KEY_BYTES = 32

export interface AddressBook {
  open: () => Promise<SealedAddresses>
}

export function createAddressBook({ db, config }: Pick<World, 'db' | 'config'>): AddressBook {
  let opening: Promise<SealedAddresses> | null = null
  const load = async () =>
    new SealedAddresses(config, await keepMediaKey(db, randomBytes(KEY_BYTES)))
  return {
    open: () => {
      opening ??= load().catch((error) => {
        opening = null // asked again the next time
        throw error
      })
      return opening
    },
  }
}
