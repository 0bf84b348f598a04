// The cause of each refusal that only people get, who sign in to the console, and what to do about it.

export const PEOPLE_HELP = {
  sign_in_refused: {
    cause:
      'The email address is unknown, or the password does not match. The response is the same for both.',
    remedy: 'Check both. If you lost your password, ask an operator for a recovery link.',
  },
  code_refused: {
    cause: 'The code does not match, is from another minute, or was used before.',
    remedy:
      'Wait for the next code and check the clock of your phone. If you lost the app, ask an operator for a recovery link.',
  },
  passkey_refused: {
    cause:
      'The passkey is not registered here, or its signature does not match this site and this attempt.',
    remedy: 'Try again, or sign in with your password.',
  },
  oidc_refused: {
    cause:
      'The identity provider reported an error, or its response failed a check: issuer, audience, nonce, state, expiry, or signature. An unverified email address that belongs to another user is refused too.',
    remedy:
      'Start again. If it fails again, the operator should check the `LONGCODE_OIDC_…` settings.',
  },
  oidc_role_absent: {
    cause:
      'The person has no user here, and `LONGCODE_OIDC_ROLES` gives none of their groups a role.',
    remedy: 'Ask an operator to add the group, or to invite you.',
  },
  oidc_unavailable: {
    cause: 'The identity provider cannot be reached, or takes longer than ten seconds.',
    remedy: 'Try again shortly. People with a password or a passkey can use it meanwhile.',
  },
  sign_in_expired: {
    cause: 'The steps of a sign-in must follow within ten minutes, and each works once.',
    remedy: 'Start again.',
  },
  sign_in_limited: {
    cause:
      'There were 10 failed sign-ins for this email address, or 100 from your address, within 15 minutes.',
    remedy: 'Retry after the number of seconds in the `Retry-After` header.',
  },
  sign_in_first: {
    cause: 'The invitation is for an email address that already has a user.',
    remedy: 'Sign in as that person, then open the link again to join the account.',
  },
  invitation_missing: {
    cause:
      'The link is incomplete, more than seven days old (a recovery link: one day), withdrawn, or was replaced by a newer one.',
    remedy: 'Ask the person who sent it for a new link.',
  },
  invitation_used: {
    cause: 'Each link works once.',
    remedy: 'Sign in with the password that you chose. If you did not, ask for a new link.',
  },
  second_factor_required: {
    cause:
      'The operator set `LONGCODE_SECOND_FACTOR=required`, and this session started with a password only.',
    remedy: 'Add a passkey or an authenticator app in your profile.',
  },
  role_absent: {
    cause: 'People have roles, and the role of this person does not include the operation.',
    remedy: 'An owner or admin can change the role. docs/people.md lists what each role allows.',
  },
  membership_absent: {
    cause: 'Someone removed the person from the account, or the session shows no account.',
    remedy: 'Choose another account, or ask an owner for an invitation.',
  },
  owner_required: {
    cause: 'The role of admins includes people, except owners.',
    remedy: 'Ask an owner.',
  },
  last_owner: {
    cause: 'The person is the only owner of the account.',
    remedy: 'Make someone else an owner, then try again.',
  },
  person_missing: {
    cause: 'No such person exists, or they have no role in this account.',
    remedy: 'List the people of the account.',
  },
  passkey_missing: {
    cause: 'You have no passkey with this ID. It may have been removed.',
    remedy: 'Open your profile again.',
  },
  session_missing: {
    cause: 'You have no session with this ID. It may have ended.',
    remedy: 'Open your profile again.',
  },
} as const
