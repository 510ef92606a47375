import type { Context } from '../../context.ts'
import type { Mail, NoticeKind } from '../../engines/mail/index.ts'

const waits = [1_000, 5_000, 20_000, 60_000]

/** Tells addresses of an account what was done to it, if there is a mailer; nobody waits for these mails. */
export function tellOwner(
  { background, mailer }: Partial<Pick<Context, 'background' | 'mailer'>>,
  addresses: readonly string[],
  kind: NoticeKind,
  compose: (to: string) => (serverName: string) => Mail,
): void {
  if (!mailer) return
  for (const address of new Set(addresses)) background?.(mailer.deliver(kind, compose(address), waits))
}
