export type Mail = { to: string; subject: string; text: string; html: string }

/** Metrics and logs name only the kind, never the address or the text. */
export type MailKind = 'registration_code' | 'account_exists' | 'email_code' | 'password_reset' | 'invite' | NoticeKind

export const noticeKinds = ['email_added', 'email_removed', 'identity_linked', 'password_set'] as const
export type NoticeKind = (typeof noticeKinds)[number]

/** `send` resolves once the mail server has accepted the mail, or the file is written. */
export type Transport = AsyncDisposable & {
  send: (mail: Mail, serverName: string) => Promise<void>
}

/** A sender without a name gets the name of the server. */
export const asMessage = ({ to, ...mail }: Mail, from: string, serverName: string) => ({
  ...mail,
  from: from.includes('<') ? from : { name: serverName, address: from },
  // An object, because nodemailer would parse a string as a list of names and addresses.
  to: { name: '', address: to },
  headers: { 'auto-submitted': 'auto-generated' },
})
