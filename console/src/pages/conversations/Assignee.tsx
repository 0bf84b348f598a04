// The person in charge of a conversation. People who only read see the name.

import { User } from 'lucide-react'
import { Select } from '../../ui/inputs/Field'
import { changeConversation, type ThreadKey, useMaySend, useMe, useTeam } from './use-conversation'

interface AssigneeProps {
  conversation: ThreadKey
  assignee: string | null
}

export function Assignee({ conversation, assignee }: AssigneeProps) {
  const { team, nameOf } = useTeam()
  const me = useMe()
  const maySend = useMaySend()
  if (!maySend) {
    return assignee ? (
      <span className="inline-flex min-w-0 items-center gap-1 text-sm text-ink-2">
        <User size={14} aria-hidden="true" className="shrink-0" />
        <span className="truncate">{nameOf(assignee)}</span>
      </span>
    ) : null
  }
  const others = team.filter(({ id }) => id !== me?.id)
  const isKnown = assignee === null || assignee === me?.id || others.some((p) => p.id === assignee)
  // Nobody to choose: the account is used with tokens only.
  if (others.length === 0 && !me && isKnown) return null
  return (
    <Select
      aria-label="Assigned to"
      className="max-w-40 max-md:min-w-0 max-md:flex-1"
      value={assignee ?? ''}
      options={[
        { value: '', label: 'Unassigned' },
        ...(me ? [{ value: me.id, label: `${me.name} (me)` }] : []),
        ...others.map(({ id, name }) => ({ value: id, label: name })),
        ...(isKnown ? [] : [{ value: assignee, label: nameOf(assignee) }]),
      ]}
      onChange={({ target }) =>
        void changeConversation(conversation, { assignee: target.value || null })
      }
    />
  )
}
