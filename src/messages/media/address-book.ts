// File URLs, sealed and read by every process with one key. The first process creates the key, and the database
// stores it.

import { randomBytes } from 'node:crypto'
import type { World } from '../../kit/world.js'
import { keepMediaKey } from '../media-queries.js'
import { SealedAddresses } from './sealed-address.js'

const KEY_BYTES = 32

export interface AddressBook {
  open: () => Promise<SealedAddresses>
  /** Null until it was opened once. */
  peek: () => SealedAddresses | null
}

export function createAddressBook({ db, config }: Pick<World, 'db' | 'config'>): AddressBook {
  let opening: Promise<SealedAddresses> | null = null
  let opened: SealedAddresses | null = null
  const load = async () => {
    opened = new SealedAddresses(config, await keepMediaKey(db, randomBytes(KEY_BYTES)))
    return opened
  }
  return {
    peek: () => opened,
    open: () => {
      opening ??= load().catch((error) => {
        opening = null // retried the next time
        throw error
      })
      return opening
    },
  }
}
