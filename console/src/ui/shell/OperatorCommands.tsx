// ⌘K for operators: pages, accounts and users by name or ID, and the look-up of a message or number. Loaded on first use.

import { useNavigate } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { request } from '../../api/request'
import { formatPhone, readPhone } from '../../lib/format'
import { CommandMenu } from './CommandMenu'
import { type Command, type CommandGroup, type Go, matching, placeCommands } from './commands'
import type { NavItem } from './nav'
import { useNamed } from './use-named'

export default function OperatorCommands(
  props: Omit<ComponentProps<typeof CommandMenu>, 'useCommands'>,
) {
  return <CommandMenu {...props} useCommands={useOperatorCommands} />
}

function useOperatorCommands(
  text: string,
  places: readonly NavItem[],
  onHelp: () => void,
): CommandGroup[] {
  const navigate = useNavigate()
  const go: Go = (path) => () => void navigate({ to: path })
  const accounts = useAccounts(text, go)
  const users = useUsers(text, go)
  const help = { value: 'Keyboard shortcuts', hint: '?', run: onHelp }
  return [
    { value: 'Results', items: findItems(text.trim(), go) },
    { value: 'Go to', items: matching(text, placeCommands(places, go)) },
    { value: 'Actions', items: matching(text, [help]) },
    { value: 'Accounts', items: accounts },
    { value: 'Users', items: users },
  ]
}

function useAccounts(text: string, go: Go): Command[] {
  return useNamed(text, {
    kind: ['operator', 'accounts'],
    read: async ({ text: search, limit }, signal) =>
      (await request('GET /operator/v1/account/list', { query: { search, limit }, signal }))
        .accounts,
    command: ({ id, name }) => ({
      value: name || id,
      hint: id,
      run: go(`/operator/accounts/${id}`),
    }),
  })
}

/** A user leads to their account. Those without one work for the installation: see Settings. */
function useUsers(text: string, go: Go): Command[] {
  return useNamed(text, {
    kind: ['operator', 'users'],
    read: async ({ text: search, limit }, signal) =>
      (await request('GET /operator/v1/user/list', { query: { search, limit }, signal })).users,
    command: ({ name, email, accounts }) => {
      const first = accounts[0]
      const path = first ? `/operator/accounts/${first.accountId}` : '/operator/settings'
      return { value: name || email, hint: email, run: go(path) }
    },
  })
}

/** Nothing is looked up before someone presses the button there, because each look-up is audited. */
function findItems(text: string, go: Go): Command[] {
  const lookUp = (what: string, label: string): Command => ({
    value: label,
    hint: 'open',
    run: go(`/operator/messages?what=${encodeURIComponent(JSON.stringify(what))}`),
  })
  if (/^msg_\w+$/.test(text)) return [lookUp(text, `Look up message ${text}`)]
  if (/^acc_\w+$/.test(text)) {
    return [{ value: `Account ${text}`, hint: 'open', run: go(`/operator/accounts/${text}`) }]
  }
  const phone = readPhone(text)
  if (!/^\+\d{10,15}$/.test(phone) || !/^[\d\s().+-]+$/.test(text)) return []
  return [lookUp(phone, `Look up messages with ${formatPhone(phone)}`)]
}
