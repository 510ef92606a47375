export { assertCurrentPassword } from './current-password.ts'
export { type Passwords, createPasswords } from './passwords.ts'
