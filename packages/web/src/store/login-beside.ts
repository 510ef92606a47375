import type { User } from '@parley/client/contract'

/** The login of a user as shown beside their name; empty if the login is shown as the name. */
export const loginBeside = (user: Pick<User, 'login' | 'displayName'> | undefined): string =>
  user !== undefined && user.displayName !== '' && user.displayName !== user.login ? user.login : ''
