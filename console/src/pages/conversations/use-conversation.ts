// What the team does with a conversation: whether it is read, who takes care of it, whether it is closed. And who the
// signed-in person is.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Contact, ConversationState, Person } from '../../../generated/types.gen'
import { conversationPath, conversationQuery } from '../../api/inbox-queries'
import { peopleQuery } from '../../api/people-queries'
import { request } from '../../api/request'
import { useSession } from '../../api/session'
import { formatPhone } from '../../lib/format'
import { newKey } from '../../lib/use-act'
import { toast } from '../../ui/feedback/Toast'

export interface ThreadKey {
  campaignId: string
  phone: string
}

export function keyOf({ campaignId, phone }: ThreadKey): string {
  return `${campaignId} ${phone}`
}

type Patch = Partial<Pick<ConversationState, 'status' | 'unread' | 'assignee'>>

/** Every view that shows it follows: see api/changes.ts. A failure is shown as a toast, because the button may be gone. */
export async function changeConversation(
  { campaignId, phone }: ThreadKey,
  patch: Patch,
): Promise<void> {
  await request('PATCH /v1/campaign/{id}/conversations/{number}', {
    path: conversationPath(campaignId, phone),
    body: patch,
    key: newKey(),
  }).catch((error: Error) => toast(`Not changed: ${error.message}`))
}

interface Opened {
  /** Null until it is known, and if there are no messages yet. */
  state: ConversationState | null
  contact: Contact | null
}

export function useConversation({ campaignId, phone }: ThreadKey): Opened {
  const { data } = useQuery(conversationQuery(campaignId, phone))
  return { state: data?.conversation ?? null, contact: data?.contact ?? null }
}

/** The name of the contact, or the number. */
export function useTitle(key: ThreadKey): string {
  return useConversation(key).contact?.name ?? formatPhone(key.phone)
}

/** Null if a token signed in: then nothing can be assigned to "me". */
export function useMe(): { id: string; name: string } | null {
  const { user } = useSession()
  return user ? { id: user.userId, name: user.name } : null
}

/** People who only read see no buttons that the service would refuse. */
export function useMaySend(): boolean {
  return useSession().account?.scopes.includes('send') ?? false
}

const NO_ANSWERS: readonly Person['role'][] = ['billing', 'read-only']

/** The people who can answer, and the name of anyone something is assigned to. */
export function useTeam(): { team: readonly Person[]; nameOf: (assignee: string) => string } {
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery(peopleQuery)
  useEffect(() => {
    if (hasNextPage) void fetchNextPage({ cancelRefetch: false })
  }, [hasNextPage, fetchNextPage])
  const people = data?.pages.flatMap((page) => page.people) ?? []
  return {
    team: people
      .filter(({ role }) => !NO_ANSWERS.includes(role))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
    nameOf: (assignee) => people.find(({ id }) => id === assignee)?.name ?? assignee,
  }
}
