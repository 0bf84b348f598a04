// Inviting a person and changing their role, in an account or for the installation. The pages say which roles there are,
// and which requests do it.

import { useId, useState } from 'react'
import { type AnyRole, describeRole } from '../../lib/describe-role'
import { useAct } from '../../lib/use-act'
import { FormDialog } from '../../ui/feedback/FormDialog'
import { ShownOnce } from '../../ui/feedback/ShownOnce'
import { toast } from '../../ui/feedback/Toast'
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
  invite: (key: string, body: { email: string; role: Role }) => Promise<Invited>
  onClose: () => void
}

interface Invited {
  invitation: { email: string }
  url: string | null
  emailed: boolean
}

/** Asks for the address and the role, then shows the link. */
export function InvitePerson<Role extends AnyRole>(props: InvitePersonProps<Role>) {
  const { roles, first, onClose } = props
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>(first)
  const [made, setMade] = useState<Invited | null>(null)
  const invite = useAct((key) => props.invite(key, { email: email.trim(), role }), {
    onDone: setMade,
  })
  if (made) return <InvitationLink {...made} onClose={onClose} />
  return (
    <FormDialog
      title="Invite a person"
      verb="Invite"
      busy={invite.isBusy && 'Inviting…'}
      blocked={email.trim() === '' && 'Enter an email address first'}
      error={invite.error}
      onSubmit={() => invite.run()}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}

function InvitationLink({ invitation, url, emailed, onClose }: Invited & { onClose: () => void }) {
  const { email } = invitation
  const way = emailed
    ? `An email with this link is on its way to ${email}. You can also send it yourself.`
    : 'Send this link to the person.'
  return (
    <ShownOnce
      title={`Invitation for ${email}`}
      help={`${way} It works once, for seven days.`}
      value={url ?? ''}
      isOptional={emailed}
      onClose={onClose}
    />
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
    <FormDialog
      title={`Role of ${person.name}`}
      verb="Change role"
      busy={change.isBusy && 'Saving…'}
      blocked={role === person.role && 'Choose another role first'}
      error={change.error}
      onSubmit={() => change.run()}
      onClose={onClose}
    >
      <Roles roles={roles} role={role} onChoose={setRole} />
    </FormDialog>
  )
}
