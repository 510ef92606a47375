import type { Context } from '../../context.ts'
import type { Mail, NoticeKind } from '../../engines/mail/index.ts'

const retryAfterMs = [1_000, 5_000, 20_000, 60_000]

export function mailNotice(
  { background, mailer }: Partial<Pick<Context, 'background' | 'mailer'>>,
  addresses: readonly string[],
  kind: NoticeKind,
  compose: (to: string) => (serverName: string) => Mail,
): void {
  if (!mailer) return
  for (const address of new Set(addresses)) background?.(mailer.deliver(kind, compose(address), retryAfterMs))
}
