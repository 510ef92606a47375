import type { Config } from './config.ts'
import type { Context } from './context.ts'

/** What the operator's methods may reach: no more than the databases of accounts and admin, so that they work without a fleet. */
export type OperatorContext = Pick<Context, 'db' | 'relay' | 'policy' | 'passwords' | 'now'> &
  Partial<Pick<Context, 'background' | 'mailer'>> & {
    config: Pick<Config, 'ownerEmails' | 'ownerEmail' | 'maxUsers'>
    admin: Pick<Context['admin'], 'checkLogin'>
  }
