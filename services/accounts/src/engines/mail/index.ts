export { mailCheck } from './check-mail.ts'
export type { Mail, NoticeKind } from './mail.ts'
export { mailBudget } from './mail-budget.ts'
export { sendMail } from './send-mail.ts'
export { type Mailer, createMailer } from './mailer.ts'
export {
  accountExistsMail,
  emailAddedMail,
  emailCodeMail,
  emailRemovedMail,
  identityLinkedMail,
  inviteMail,
  passwordResetMail,
  passwordSetMail,
  registrationCodeMail,
} from './mails.ts'
export { openTransport } from './open-transport.ts'
