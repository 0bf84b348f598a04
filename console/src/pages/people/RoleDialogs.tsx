// Inviting a person and changing their role, in an account or for the installation. The pages say which roles there are,
// and which requests do it.

import { type FormEvent, useId, useState } from 'react'
import { type AnyRole, describeRole } from '../../lib/describe-role'
import { useAct } from '../../lib/use-act'
import { Dialog } from '../../ui/feedback/Dialog'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { toast } from '../../ui/feedback/Toast'
import { Button } from '../../ui/inputs/Button'
import { Field, Input, Radio } from '../../ui/inputs/Field'

interface RolesProps<Role> {
  roles: readonly Role[]
  role: Role
  onChoose: (role: Role) => void
}

function Roles<Role extends AnyRole | null>({ roles, role, onChoose }: RolesProps<Role>) {
  const name = useId()
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Role</legend>
      {roles.map((one) => (
        <Radio
          key={one}
          name={name}
          {...describeRole(one)}
          isChecked={one === role}
          onChange={() => onChoose(one)}
        />
      ))}
    </fieldset>
  )
}

interface InvitePersonProps<Role> {
  roles: readonly Role[]
  /** The role that is chosen first. */
  first: Role
  invite: (
    key: string,
    body: { email: string; role: Role },
  ) => Promise<{ invitation: { email: string }; url: string | null }>
  onMade: (email: string, url: string) => void
  onClose: () => void
}

export function InvitePerson<Role extends AnyRole>(props: InvitePersonProps<Role>) {
  const { roles, first, onMade, onClose } = props
  const form = useId()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>(first)
  const invite = useAct((key) => props.invite(key, { email: email.trim(), role }), {
    onDone: ({ invitation, url }) => onMade(invitation.email, url ?? ''),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (email.trim()) invite.run()
  }
  return (
    <Dialog
      title="Invite a person"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            type="submit"
            form={form}
            busy={invite.isBusy && 'Creating…'}
            blocked={email.trim() === '' && 'Enter an email address first'}
          >
            Create link
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Email">
          {(tied) => (
            <Input
              {...tied}
              type="email"
              autoComplete="off"
              maxLength={254}
              value={email}
              onChange={({ target }) => setEmail(target.value)}
            />
          )}
        </Field>
        <Roles roles={roles} role={role} onChoose={setRole} />
        {invite.error ? <ErrorNotice error={invite.error} isAnswer /> : null}
      </form>
    </Dialog>
  )
}

interface ChangeRoleProps<Role> {
  person: { name: string; role: Role }
  roles: readonly Role[]
  change: (key: string, role: Role) => Promise<unknown>
  onClose: () => void
}

export function ChangeRole<Role extends AnyRole | null>(props: ChangeRoleProps<Role>) {
  const { person, roles, onClose } = props
  const [role, setRole] = useState<Role>(person.role)
  const change = useAct((key) => props.change(key, role), {
    onDone: () => {
      toast(`Role of ${person.name}: ${describeRole(role).label}`)
      onClose()
    },
  })
  return (
    <Dialog
      title={`Role of ${person.name}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            onClick={() => change.run()}
            busy={change.isBusy && 'Saving…'}
            blocked={role === person.role && 'Choose another role first'}
          >
            Change role
          </Button>
        </>
      }
    >
      <Roles roles={roles} role={role} onChoose={setRole} />
      {change.error ? <ErrorNotice error={change.error} isAnswer /> : null}
    </Dialog>
  )
}
