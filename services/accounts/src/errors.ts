import { Code, ConnectError } from '@connectrpc/connect'

export const wrongPassword = () => new ConnectError('invalid credentials', Code.Unauthenticated)
export const wrongCurrentPassword = () =>
  new ConnectError('invalid credentials: the current password is wrong', Code.InvalidArgument)
export const tooManyGuesses = (retryAfterMs: number) =>
  new ConnectError('too many attempts with a wrong password; wait, or sign in again', Code.ResourceExhausted, {
    'retry-after': String(Math.ceil(retryAfterMs / 1000)),
  })
export const currentPasswordMissing = () => new ConnectError('current password required', Code.InvalidArgument)
export const passwordAlreadySet = () => new ConnectError('password already set', Code.FailedPrecondition)
export const freshnessMissing = () =>
  new ConnectError(
    'recent authentication required: sign in again, or send the current password',
    Code.FailedPrecondition,
    {
      // Distinguishes this failed precondition from others.
      'parley-needs': 'fresh-credential',
    },
  )
export const sessionEnded = () => new ConnectError('session expired: sign in again', Code.Unauthenticated)
export const tooManyHashings = () =>
  new ConnectError('too many sign-ins at the moment; try again in a second', Code.ResourceExhausted, {
    'retry-after': '1',
  })
export const accountDeactivated = () =>
  new ConnectError('account deactivated: ask an administrator of this server', Code.PermissionDenied)
export const inviteNotFound = () =>
  new ConnectError('invite not found: it is unknown, used up, revoked or expired; ask for another one', Code.NotFound)
export const invalidInvite = (why: string) => new ConnectError(`invalid invite: ${why}`, Code.InvalidArgument)
export const tooManyInvites = (max: number) =>
  new ConnectError(`too many open invites (${max}): revoke some first`, Code.ResourceExhausted)
export const notForOtherClients = () =>
  new ConnectError(
    'permission denied: other web clients cannot end all other sessions, because that can also remove e-mail addresses; sign in to this server to do that',
    Code.PermissionDenied,
  )
export const oneSessionOrAllOthers = () =>
  new ConnectError('session required: set either session_id or all_others', Code.InvalidArgument)
export const accountGone = () => new ConnectError('account not found: it was deleted', Code.Unauthenticated)
export const loginNotFound = (login: string) => new ConnectError(`user not found: "${login}"`, Code.NotFound)
export const roleNotFound = (name: string) => new ConnectError(`role not found: "${name}"`, Code.NotFound)
export const tooManyReads = () =>
  new ConnectError('too many requests for lists at once; try again', Code.ResourceExhausted, { 'retry-after': '1' })
export const everyoneIsImplicit = () =>
  new ConnectError('the role everyone cannot be assigned: every account has it', Code.InvalidArgument)
export const loginTaken = (login: string) => new ConnectError(`username already taken: "${login}"`, Code.AlreadyExists)
export const handleTaken = (name: string) =>
  new ConnectError(`name already taken: "${name}" is a login or the name of a role`, Code.AlreadyExists)
export const emailTaken = () =>
  new ConnectError('e-mail address already taken: another account has verified it', Code.AlreadyExists)
export const emailNotFound = () => new ConnectError('the account has no such e-mail address', Code.NotFound)
export const emailNotRemovable = () =>
  new ConnectError(
    'this e-mail address cannot be removed yet: the account needs another one that was verified earlier, or at least seven days ago',
    Code.FailedPrecondition,
  )
export const registrationClosed = () => new ConnectError('Registration is disabled', Code.PermissionDenied)
export const registrationExpired = () =>
  new ConnectError('registration expired or completed: start again', Code.InvalidArgument)
export const wrongCode = () =>
  new ConnectError('invalid code: it is wrong or expired, or too many wrong codes were entered', Code.InvalidArgument)
export const tooManyCodes = (windowMs: number) =>
  new ConnectError('too many codes for this address; try again later', Code.ResourceExhausted, {
    'retry-after': String(Math.ceil(windowMs / 1000)),
  })
export const resetLinkExpired = () =>
  new ConnectError('invalid or expired link: request another one', Code.InvalidArgument)
export const invalidOrigin = () =>
  new ConnectError('invalid origin: it must be an http or https origin without a path', Code.InvalidArgument)
export const invalidRedirectUri = () =>
  new ConnectError('invalid redirect URI: it must be an http or https URL', Code.InvalidArgument)
export const invalidChallenge = () =>
  new ConnectError(
    'invalid code challenge: it must be a SHA-256 digest in base64url (method S256)',
    Code.InvalidArgument,
  )
export const consentMissing = () =>
  new ConnectError('consent required: the user has not granted access to this origin', Code.FailedPrecondition)
export const invalidAuthorizationCode = () =>
  new ConnectError(
    'invalid authorization code: it is unknown, used, expired or was issued to another client',
    Code.InvalidArgument,
  )
/** The gateway distinguishes this error from other outages by `parley-failed`. */
export const mailNotSent = () =>
  new ConnectError('the mail could not be sent; try again in a moment', Code.Unavailable, { 'parley-failed': 'mail' })
export const noMailer = () => new ConnectError('this server cannot send mail', Code.FailedPrecondition)
export const userLimitReached = (max: number) =>
  new ConnectError(`user limit reached: this server allows ${max} accounts`, Code.ResourceExhausted)
export const invalidLogin = (why: string) => new ConnectError(`invalid login: ${why}`, Code.InvalidArgument)
export const invalidPassword = (why: string) => new ConnectError(`invalid password: ${why}`, Code.InvalidArgument)
export const invalidEmail = () => new ConnectError('invalid e-mail address', Code.InvalidArgument)
export const invalidDisplayName = (why: string) =>
  new ConnectError(`invalid display name: ${why}`, Code.InvalidArgument)
export const invalidStatus = (why: string) => new ConnectError(`invalid custom status: ${why}`, Code.InvalidArgument)
export const unknownTimezone = (name: string) =>
  new ConnectError(`unknown time zone "${name.slice(0, 64)}"`, Code.InvalidArgument)
export const unknownTimeFormat = () => new ConnectError('unknown time format', Code.InvalidArgument)
export const imageMissing = () => new ConnectError('image required: the request contains none', Code.InvalidArgument)
export const emptyUpdate = () =>
  new ConnectError('nothing to update: at least one field is required', Code.InvalidArgument)
export const usernameCooldown = (until: Date) =>
  new ConnectError(
    `username changed too recently: it can be changed again from ${until.toISOString()}`,
    Code.FailedPrecondition,
  )
export const userNotFound = () => new ConnectError('user not found', Code.NotFound)
export const permissionMissing = (permission: string) =>
  new ConnectError(`permission denied: this needs ${permission}`, Code.PermissionDenied)
export const notForOwnAccount = () =>
  new ConnectError('permission denied: you cannot do this to your own account', Code.PermissionDenied)
export const onlyForOwners = () =>
  new ConnectError(
    'permission denied: only an owner can change the account or the role of an owner',
    Code.PermissionDenied,
  )
export const ownRoleNotRemovable = () =>
  new ConnectError('you cannot remove your own role owner or admin', Code.FailedPrecondition)
export const searchTooLong = (max: number) =>
  new ConnectError(`search too long: at most ${max} characters`, Code.InvalidArgument)
export const badCursor = () => new ConnectError('invalid page cursor', Code.InvalidArgument)
export const tooManyAtOnce = (what: string, max: number) =>
  new ConnectError(`at most ${max} ${what} at once`, Code.InvalidArgument)
export const invalidDigest = () => new ConnectError('invalid digest: 32 bytes are required', Code.InvalidArgument)
export const unknownEndReason = (reason: string) =>
  new ConnectError(`unknown reason "${reason}" for ending credentials`, Code.InvalidArgument)
export const lastOwner = () =>
  new ConnectError('the last owner cannot be removed: make somebody else an owner first', Code.FailedPrecondition)
export const mayNotDeleteSelf = () =>
  new ConnectError('permission denied: this server does not let you delete your account', Code.PermissionDenied)
export const unknownDeletionToken = () =>
  new ConnectError('invalid confirmation token: it is unknown, used or expired; request another one', Code.NotFound)
export const deletionTokenOfOtherAccount = () =>
  new ConnectError('permission denied: the confirmation is for another account', Code.PermissionDenied)
export const unknownErasingService = (service: string) =>
  new ConnectError(`unknown service "${service}": it does not erase data of accounts`, Code.InvalidArgument)
export const erasurePassNotFound = () => new ConnectError('erasure pass not found: it was not requested', Code.NotFound)
export const importedIdMissing = () => new ConnectError('source and external id are required', Code.InvalidArgument)
export const importConflict = () =>
  new ConnectError('a concurrent change took the same names or addresses; try again', Code.Unavailable)
export const userLimitTooLow = (max: number, wanted: number) =>
  new ConnectError(
    `user limit too low: this server allows ${max} accounts (limits.max_users), and ${wanted} more would be created`,
    Code.ResourceExhausted,
  )
