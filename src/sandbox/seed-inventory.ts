// Fills the sandbox's inventory at its first start. Later starts find it filled or sold and leave it alone.

import type { Database } from '../kit/postgres/db.js'
import { addToInventory, isInventoryUntouched } from '../numbers/inventory-queries.js'
import { inventoryNumbers } from './inventory.js'

// Large enough that the number of statements does not matter, small enough for the driver's text.
const CHUNK = 2_000

/** Two nodes that start at once may both seed. The numbers are the same and are written once. */
export async function seedInventory(db: Database): Promise<void> {
  await db.patient.transaction(async (tx) => {
    if (!(await isInventoryUntouched(tx))) return
    const numbers = [...inventoryNumbers()].map((one) => ({ ...one, hosts: null }))
    for (let at = 0; at < numbers.length; at += CHUNK) {
      await addToInventory(tx, numbers.slice(at, at + CHUNK))
    }
  })
}
