import type { Context } from '../../context.ts'
import type { Mail, NoticeKind } from '../../engines/mail/index.ts'

const waits = [1_000, 5_000, 20_000, 60_000]

/** If mail is configured, mails a notice of a change to addresses of the account. Does not wait until they are sent. */
export function mailOwner(
  { background, mailer }: Partial<Pick<Context, 'background' | 'mailer'>>,
  addresses: readonly string[],
  kind: NoticeKind,
  compose: (to: string) => (serverName: string) => Mail,
): void {
  if (!mailer) return
  for (const address of new Set(addresses)) background?.(mailer.deliver(kind, compose(address), waits))
}
