/** A time as AWS writes it in what is signed: `20260102T030405Z`. By the calendar alone, without the language's dates. */

const DAY_MS = 86_400_000;
/** From 0000-03-01: years that begin in March end with the day that not all have. */
const DAYS_BEFORE_1970 = 719_468;
const DAYS_PER_ERA = 146_097;
const YEARS_PER_ERA = 400;

export function utcText(ms: number): string {
  const { year, month, day } = civilDate(Math.floor(ms / DAY_MS));
  const seconds = Math.floor((ms % DAY_MS) / 1_000);
  const time = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const digits = (parts: readonly number[]) =>
    parts.map((part) => String(part).padStart(2, '0')).join('');
  return `${year}${digits([month, day])}T${digits(time)}Z`;
}

function civilDate(days: number) {
  const shifted = days + DAYS_BEFORE_1970;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const ofEra = shifted - era * DAYS_PER_ERA;
  const leapDays =
    Math.floor(ofEra / 1_460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096);
  const yearOfEra = Math.floor((ofEra - leapDays) / 365);
  const ofYear =
    ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  // Five months have 153 days, from March and from August on.
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  return {
    year: yearOfEra + era * YEARS_PER_ERA + (month <= 2 ? 1 : 0),
    month,
    day: ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
  };
}
