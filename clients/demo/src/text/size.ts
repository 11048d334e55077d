/** Sizes of files. */

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"];

export function sizeText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const options = { style: "unit", unit: UNITS[step]!, unitDisplay: "short", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(undefined, options).format(bytes / 1000 ** step);
}
