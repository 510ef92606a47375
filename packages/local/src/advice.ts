const adviceByError: Array<[RegExp, string]> = [
  [/\bENOSPC\b|No space left on device/, 'the disk is full; free some space and start again'],
  [
    /\b(?:EACCES|EPERM|EROFS|ENOTDIR)\b/,
    'PARLEY_DATA_DIR must be a folder to which the user who starts Parley can write',
  ],
]

export function withAdvice(message: string): string {
  const advice = adviceByError.find(([pattern]) => pattern.test(message))?.[1]
  return advice === undefined ? message : `${message}\nparley: ${advice}`
}
