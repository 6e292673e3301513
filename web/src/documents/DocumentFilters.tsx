import { Input, Segmented, Select } from "antd";
import { useEffect, useState } from "react";
import { useStrings } from "@/shared/language";
import { type Filters, GROUPS, type Group } from "./filters";
import { useDomains } from "./queries";
import { documentStrings } from "./strings";

const TYPING_MS = 300;

interface DocumentFiltersProps {
  filters: Filters;
  onChange: (filters: Filters) => void;
}

export function DocumentFilters({ filters, onChange }: DocumentFiltersProps) {
  const t = useStrings(documentStrings);
  const domains = useDomains();
  const [typed, setTyped] = useState(filters.query);

  // The address may change otherwise: the filters cleared, the browser's back.
  useEffect(() => setTyped(filters.query), [filters.query]);
  useEffect(() => {
    if (typed.trim() === filters.query) return;
    const timer = setTimeout(() => onChange({ ...filters, query: typed.trim() }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, filters, onChange]);

  return (
    <div className="document-filters">
      <Input.Search
        allowClear
        maxLength={200}
        value={typed}
        placeholder={t.search}
        aria-label={t.search}
        onChange={(event) => setTyped(event.target.value)}
        onSearch={(query) => onChange({ ...filters, query: query.trim() })}
      />
      <Segmented<Group>
        aria-label={t.stateFilter}
        value={filters.group}
        options={GROUPS.map((group) => ({ value: group, label: t[group] }))}
        onChange={(group) => onChange({ ...filters, group })}
      />
      <Select
        aria-label={t.domainFilter}
        value={filters.domain}
        popupMatchSelectWidth={false}
        options={[
          { value: "", label: t.allDomains },
          ...domains.map(({ code, name }) => ({ value: code, label: name })),
        ]}
        onChange={(domain) => onChange({ ...filters, domain })}
      />
    </div>
  );
}
