package citewell.shim;

import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishPossessiveFilter;
import org.apache.lucene.analysis.en.KStemFilter;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.miscellaneous.KeywordRepeatFilter;
import org.apache.lucene.analysis.miscellaneous.RemoveDuplicatesTokenFilter;
import org.apache.lucene.analysis.snowball.SnowballFilter;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.index.IndexSettings;
import org.elasticsearch.index.analysis.AbstractTokenFilterFactory;
import org.elasticsearch.index.analysis.PreConfiguredTokenFilter;
import org.elasticsearch.index.analysis.TokenFilterFactory;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.elasticsearch.plugins.AnalysisPlugin;
import org.elasticsearch.plugins.Plugin;

/**
 * Token filters of a full server that the distribution on Maven Central leaves out.
 *
 * They carry the names they have there (module analysis-common), so that one mapping file serves both.
 */
public class AnalysisShim extends Plugin implements AnalysisPlugin {
    @Override
    public List<PreConfiguredTokenFilter> getPreConfiguredTokenFilters() {
        return List.of(
            PreConfiguredTokenFilter.singleton("asciifolding", true, ASCIIFoldingFilter::new),
            PreConfiguredTokenFilter.singleton("keyword_repeat", false, KeywordRepeatFilter::new),
            PreConfiguredTokenFilter.singleton("kstem", false, KStemFilter::new),
            PreConfiguredTokenFilter.singleton("porter_stem", false, PorterStemFilter::new),
            PreConfiguredTokenFilter.singleton("remove_duplicates", false, RemoveDuplicatesTokenFilter::new),
            PreConfiguredTokenFilter.singleton("snowball", false, in -> new SnowballFilter(in, "English"))
        );
    }

    /** `stemmer` in the one language that a mapping can need besides `snowball`. */
    @Override
    public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
        return Map.of("stemmer", AnalysisPlugin.requiresAnalysisSettings(PossessiveEnglish::new));
    }

    private static final class PossessiveEnglish extends AbstractTokenFilterFactory {
        PossessiveEnglish(IndexSettings index, Environment environment, String name, Settings settings) {
            super(name);
            String language = settings.get("language", settings.get("name", "porter"));
            if (language.equals("possessive_english") == false) {
                throw new IllegalArgumentException("the shim has no stemmer [" + language + "]");
            }
        }

        @Override
        public TokenStream create(TokenStream in) {
            return new EnglishPossessiveFilter(in);
        }
    }
}
