import { Code, ConnectError } from '@connectrpc/connect'

export const wrongPassword = () => new ConnectError('wrong login or password', Code.Unauthenticated)
export const wrongCurrentPassword = () => new ConnectError('the current password is wrong', Code.InvalidArgument)
export const tooManyGuesses = (retryAfterMs: number) =>
  new ConnectError('too many wrong passwords; wait, or sign in anew', Code.ResourceExhausted, {
    'retry-after': String(Math.ceil(retryAfterMs / 1000)),
  })
export const currentPasswordMissing = () =>
  new ConnectError('the current password is needed to change it', Code.InvalidArgument)
export const passwordSetAlready = () => new ConnectError('the account has a password already', Code.FailedPrecondition)
export const freshnessMissing = () =>
  new ConnectError('sign in again, or send the current password: this needs a recent proof', Code.FailedPrecondition, {
    // Tells it from other preconditions to whoever maps codes.
    'parley-needs': 'fresh-credential',
  })
export const sessionEnded = () => new ConnectError('the session has ended; sign in again', Code.Unauthenticated)
export const tooManyHashings = () =>
  new ConnectError('too many sign-ins at the moment; try again in a second', Code.ResourceExhausted, {
    'retry-after': '1',
  })
export const accountDeactivated = () =>
  new ConnectError('this account is deactivated; ask an administrator of the server', Code.PermissionDenied)
export const inviteUnknown = () =>
  new ConnectError('the invite is unknown, used up, revoked or expired; ask for another one', Code.NotFound)
export const invalidInvite = (why: string) => new ConnectError(`invalid invite: ${why}`, Code.InvalidArgument)
export const tooManyInvites = (most: number) =>
  new ConnectError(`${most} invites hold already: revoke some first`, Code.ResourceExhausted)
export const oneSessionOrAllOthers = () =>
  new ConnectError('name a session, or ask for all others', Code.InvalidArgument)
export const accountGone = () => new ConnectError('the account does not exist any more', Code.Unauthenticated)
export const userNotFound = (login: string) => new ConnectError(`there is no account "${login}"`, Code.NotFound)
export const roleNotFound = (name: string) => new ConnectError(`there is no role "${name}"`, Code.NotFound)
export const everyoneIsImplicit = () =>
  new ConnectError('every account holds the role everyone; it cannot be assigned', Code.InvalidArgument)
export const loginTaken = (login: string) => new ConnectError(`the login "${login}" is taken`, Code.AlreadyExists)
export const handleTaken = (name: string) =>
  new ConnectError(`"${name}" is taken by a login or a role`, Code.AlreadyExists)
export const emailTaken = () =>
  new ConnectError('the e-mail address is verified by another account', Code.AlreadyExists)
export const emailNotHeld = () => new ConnectError('the account has no such e-mail address', Code.NotFound)
export const emailStays = () =>
  new ConnectError(
    'the address stays until the account has an older one, or one for seven days; an administrator can remove it',
    Code.FailedPrecondition,
  )
export const registrationClosed = () => new ConnectError('nobody can register at this server', Code.PermissionDenied)
export const registrationExpired = () =>
  new ConnectError('the registration has expired or is completed; begin again', Code.InvalidArgument)
export const wrongCode = () =>
  new ConnectError('the code is wrong, has expired or was entered wrongly too often', Code.InvalidArgument)
export const tooManyCodes = (windowMs: number) =>
  new ConnectError('too many codes for this address; try again later', Code.ResourceExhausted, {
    'retry-after': String(Math.ceil(windowMs / 1000)),
  })
export const resetLinkExpired = () =>
  new ConnectError('the link has expired or was used; ask for another one', Code.InvalidArgument)
export const invalidOrigin = () => new ConnectError('that is not the origin of a web page', Code.InvalidArgument)
export const invalidRedirectUri = () =>
  new ConnectError('the redirect address must be an http or https URL', Code.InvalidArgument)
export const invalidChallenge = () =>
  new ConnectError('the code challenge must be a SHA-256 in base64url (method S256)', Code.InvalidArgument)
export const consentMissing = () => new ConnectError('the user has not let this origin in', Code.FailedPrecondition)
export const invalidAuthorizationCode = () =>
  new ConnectError('the authorization code is unknown, used, expired or not for this client', Code.InvalidArgument)
export const mailNotSent = () => new ConnectError('the mail could not be sent; try again in a moment', Code.Unavailable)
export const noMailer = () => new ConnectError('this server cannot send mail', Code.FailedPrecondition)
export const userLimitReached = (most: number) =>
  new ConnectError(`this server has as many accounts as it may have (${most})`, Code.ResourceExhausted)
export const invalidLogin = (why: string) => new ConnectError(`invalid login: ${why}`, Code.InvalidArgument)
export const invalidPassword = (why: string) => new ConnectError(`invalid password: ${why}`, Code.InvalidArgument)
export const invalidEmail = () => new ConnectError('that is not an e-mail address', Code.InvalidArgument)
export const invalidDisplayName = (why: string) =>
  new ConnectError(`invalid display name: ${why}`, Code.InvalidArgument)
export const invalidStatus = (why: string) => new ConnectError(`invalid custom status: ${why}`, Code.InvalidArgument)
export const unknownTimezone = (name: string) =>
  new ConnectError(`unknown time zone "${name.slice(0, 64)}"`, Code.InvalidArgument)
export const unknownTimeFormat = () => new ConnectError('unknown time format', Code.InvalidArgument)
export const imageMissing = () => new ConnectError('the request holds no image', Code.InvalidArgument)
export const emptyUpdate = () => new ConnectError('an update names at least one field', Code.InvalidArgument)
export const usernameCooldown = (until: Date) =>
  new ConnectError(`the login can be changed again from ${until.toISOString()}`, Code.FailedPrecondition)
export const userUnknown = () => new ConnectError('there is no such user', Code.NotFound)
export const permissionMissing = (permission: string) =>
  new ConnectError(`this needs ${permission}`, Code.PermissionDenied)
export const notOnYourself = () =>
  new ConnectError('administrators do not do this to their own account', Code.PermissionDenied)
export const ownersAlone = () => new ConnectError('only owners change owners, or who is owner', Code.PermissionDenied)
export const ownRoleStays = () =>
  new ConnectError('nobody takes away their own role of owner or admin', Code.FailedPrecondition)
export const searchTooLong = (most: number) =>
  new ConnectError(`a search has at most ${most} characters`, Code.InvalidArgument)
export const badCursor = () => new ConnectError('the page cursor is not valid', Code.InvalidArgument)
export const tooMany = (what: string, most: number) =>
  new ConnectError(`at most ${most} ${what} at once`, Code.InvalidArgument)
export const notADigest = () => new ConnectError('a digest has 32 bytes', Code.InvalidArgument)
export const unknownReason = (reason: string) =>
  new ConnectError(`credentials do not end for the reason "${reason}"`, Code.InvalidArgument)
export const lastOwner = () =>
  new ConnectError('the last owner cannot go: make somebody else owner first', Code.FailedPrecondition)
export const mayNotDeleteSelf = () =>
  new ConnectError('this server does not let you delete your account', Code.PermissionDenied)
export const unknownDeletionToken = () =>
  new ConnectError('the confirmation is unknown, used or expired; request another one', Code.NotFound)
export const deletionTokenOfAnother = () =>
  new ConnectError('the confirmation is for another account', Code.PermissionDenied)
export const unknownEraser = (service: string) =>
  new ConnectError(`"${service}" keeps nothing of accounts`, Code.InvalidArgument)
export const notBeingDeleted = () => new ConnectError('nobody asked for that pass', Code.NotFound)
export const importedIdMissing = () =>
  new ConnectError('whatever is imported has a source and an id there', Code.InvalidArgument)
export const importRaced = () =>
  new ConnectError('another import took the same names at the same time; try again', Code.Unavailable)
export const userLimitTooLow = (most: number, wanted: number) =>
  new ConnectError(
    `this server may have ${most} accounts (limits.max_users), and ${wanted} more are to be made`,
    Code.ResourceExhausted,
  )
