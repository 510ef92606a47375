import type { User } from '@parley/client/contract'

/** The login of a user as shown beside their name; empty if they have no other name. */
export const loginBeside = (user: Pick<User, 'login' | 'displayName'> | undefined): string =>
  user !== undefined && user.displayName !== '' && user.displayName !== user.login ? user.login : ''
