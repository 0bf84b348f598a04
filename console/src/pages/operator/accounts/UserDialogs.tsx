// A recovery link for a person who cannot sign in, and deleting a person.

import type { User } from '../../../../generated/types.gen'
import { request } from '../../../api/request'
import { useAct } from '../../../lib/use-act'
import { Confirm } from '../../../ui/feedback/Dialog'
import { ShownOnce } from '../../../ui/feedback/ShownOnce'
import { toast } from '../../../ui/feedback/Toast'

interface UserDialogProps {
  user: User
  onClose: () => void
}

export function RecoverUser({ user: { id, name, email }, onClose }: UserDialogProps) {
  const recover = useAct((key) =>
    request('POST /operator/v1/user/{id}/recover', { path: { id }, key }),
  )
  if (recover.reply) {
    return (
      <ShownOnce
        title={`Recovery link for ${email}`}
        help="It works once, for one day, and is as good as the password. Give it only to this person."
        value={recover.reply.url ?? ''}
        onClose={onClose}
      />
    )
  }
  return (
    <Confirm
      title={`Make a recovery link for ${name}?`}
      consequence="Check first who asks. With the link, the person sets a new password. That removes their passkeys, their authenticator app, and all their sessions."
      verb="Make link"
      busy={recover.isBusy && 'Creating…'}
      error={recover.error}
      onConfirm={() => recover.run()}
      onClose={onClose}
    />
  )
}

export function DeleteUser({ user: { id, name, email, accounts }, onClose }: UserDialogProps) {
  const remove = useAct((key) => request('DELETE /operator/v1/user/{id}', { path: { id }, key }), {
    onDone: () => {
      toast(`${name} deleted`)
      onClose()
    },
  })
  const owned = accounts.filter(({ role }) => role === 'owner').length
  return (
    <Confirm
      title={`Delete ${name}?`}
      consequence={`${email} is signed out at once and loses all roles. The audit log keeps the name.${owned > 0 ? ' An account whose only owner is deleted has none until you invite another.' : ''}`}
      verb="Delete"
      isDanger
      typed={email}
      typedLabel="Type the email address to confirm"
      busy={remove.isBusy && 'Deleting…'}
      error={remove.error}
      onConfirm={() => remove.run()}
      onClose={onClose}
    />
  )
}
