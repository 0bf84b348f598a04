// What to do if the balance is too low: the cost, the balance, and who can add credit.

import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import { floorMoney, formatMoney } from '../../lib/format'
import { CopyButton } from '../../ui/inputs/Copy'

export function TooLittle({ cost }: { cost: number | null }) {
  const { account, mode } = useSession()
  const { data } = useQuery(accountQuery)
  const command = `npx longcode credit ${account?.accountId ?? 'ACCOUNT'} 100`
  return (
    <>
      {cost === null ? '' : `This costs ${formatMoney(cost)}. `}
      {data ? `The balance is ${floorMoney(data.account.balance)}. ` : ''}
      Ask your operator to add credit. What you typed is saved.
      {mode === 'sandbox' ? (
        <span className="flex flex-wrap items-center gap-1">
          Sandbox: <code className="font-mono text-sm wrap-anywhere">{command}</code>
          <CopyButton text={command} label="command" />
        </span>
      ) : null}
    </>
  )
}
