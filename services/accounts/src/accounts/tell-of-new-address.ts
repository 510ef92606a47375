import type { Context } from '../context.ts'
import { emailAddedMail } from '../mail/mails.ts'

const waits = [1_000, 5_000, 20_000, 60_000]

/** Tells addresses that an account had that it got another one; nobody waits for these mails. */
export function tellOfNewAddress(
  { aside, mailer }: Pick<Context, 'aside' | 'mailer'>,
  addresses: readonly string[],
  added: { login: string; at: Date },
): void {
  if (!mailer) return
  for (const address of addresses)
    aside.run(() => mailer.deliver('email_added', emailAddedMail(address, added.login, added.at), waits))
}
