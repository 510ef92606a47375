/** A mail that is ready to go. */
export type Mail = { to: string; subject: string; text: string; html: string }

/** A way for mails to leave. `send` resolves once somebody else is responsible for the mail. */
export type Transport = AsyncDisposable & {
  send: (mail: Mail, serverName: string) => Promise<void>
}
