import { useLanguage } from "@/shared/language";
import { reasonInWords } from "./reason-words";

/** Any JSON as nested names and values. */
export function Detail({ value }: { value: unknown }) {
  const language = useLanguage();
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== "object" || item === null))
      return <>{value.map(String).join(", ") || "–"}</>;
    return (
      <ol className="detail">
        {value.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their place
          <li key={index}>
            <Detail value={item} />
          </li>
        ))}
      </ol>
    );
  }
  if (typeof value === "object" && value !== null) {
    return (
      <dl className="detail">
        {Object.entries(value).map(([name, part]) => (
          <div key={name}>
            <dt>{name.replaceAll("_", " ")}</dt>
            <dd>
              <Detail value={name === "reason" && typeof part === "string" ? reasonInWords(part, language) : part} />
            </dd>
          </div>
        ))}
      </dl>
    );
  }
  return <>{value === null || value === "" ? "–" : String(value)}</>;
}
