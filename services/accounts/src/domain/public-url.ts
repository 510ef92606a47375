export const publicUrlOf = ({ publicUrl }: { publicUrl: string }): string => publicUrl.replace(/\/+$/, '')
