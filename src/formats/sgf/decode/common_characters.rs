//! A second opinion on short texts. Names alone are too few bytes for frequencies, but some characters are common in
//! them.

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GBK, SHIFT_JIS, WINDOWS_1252};

/// Bytes beyond ASCII up to which a text is short.
const MOST_BYTES: usize = 400;

/// Bytes in pairs below which they may as well be two Latin letters, as in `Öä` or `!»…`: those of a name of two
/// characters.
const LEAST_PAIRED: usize = 4;

/// Characters that are common in names and in facts about games.
const CHINESE: &str = "\
    王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛\
    叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔\
    贺赖龚文中国日本韩围棋名人战杯赛年月第局黑胜目九";
const TRADITIONAL: &str = "\
    王李張劉陳楊趙黃周吳徐孫胡朱高林何郭馬羅梁宋鄭謝韓唐馮于董蕭程曹袁鄧許傅沈曾彭呂蘇盧蔣蔡賈丁魏薛\
    葉余潘杜戴夏鍾汪田任姜范方石姚譚廖江邱賴簡中國日本韓圍棋名人戰盃賽年月第局黑勝目九段";
const JAPANESE: &str = "\
    山田川村本藤林石木小大高井野加坂武宮正樹原橋谷佐伊中上下口松島崎池清水森阿部長岡前東西北南竹内金\
    後近遠斎安吉三一二光岩今和平青柳関福星片依趙王張郎夫男雄治秀義史彦之宏章子美朗太浩紀泰九段日囲碁\
    戦勝局名人年月第期回時間分目半好手中押黒白番許結";
const KOREAN: &str = "\
    김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민나진지엄채원천방\
    공현변염여추도소석선설마길위표명기라왕금옥육인국은준수영호경동재승상혁철훈환태세돌바둑단";

/// Encodings with the characters that are common in them, those of more records first.
const COMMON: [(&Encoding, &str); 5] = [
    (GBK, CHINESE),
    (EUC_JP, JAPANESE),
    (SHIFT_JIS, JAPANESE),
    (BIG5, TRADITIONAL),
    (EUC_KR, KOREAN),
];

/// What a text is in one of these encodings.
struct Reading {
    encoding: &'static Encoding,
    /// East Asian characters, ...
    wide: usize,
    /// ... and how many of them are common.
    common: usize,
    has_kana: bool,
}

impl Reading {
    /// None where the bytes have no meaning in that encoding.
    fn of(bytes: &[u8], encoding: &'static Encoding, common: &str) -> Option<Reading> {
        let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
        let wide = || text.chars().filter(|&c| c >= '\u{2e80}');
        Some(Reading {
            encoding,
            wide: wide().count(),
            common: wide().filter(|&c| common.contains(c)).count(),
            has_kana: wide().any(|c| matches!(c, 'ぁ'..='ゖ' | 'ァ'..='ヶ')),
        })
    }
}

/// The encoding that was guessed, or another one in which a short text has more common characters, or has pairs of bytes
/// where Latin letters would stand alone.
pub(super) fn likelier(bytes: &[u8], guess: &'static Encoding) -> &'static Encoding {
    let beyond_ascii = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    if beyond_ascii > MOST_BYTES {
        return guess;
    }
    let readings = COMMON
        .iter()
        .filter_map(|&(encoding, common)| Reading::of(bytes, encoding, common));
    let readings: Vec<Reading> = readings.collect();
    // The first of equal ones.
    let Some(best) = readings.iter().rev().max_by_key(|it| it.common) else {
        return guess;
    };
    let guessed = readings.iter().find(|it| it.encoding == guess);
    let is_better = match guessed {
        Some(guessed) => {
            !guessed.has_kana && best.common >= guessed.common + lead(guess, best.encoding)
        }
        None if COMMON.iter().any(|&(encoding, _)| encoding == guess) => false,
        None => {
            let has_common = best.common >= 2 && 3 * best.common >= best.wide;
            has_common || guess == WINDOWS_1252 && is_paired(bytes, beyond_ascii)
        }
    };
    if is_better { best.encoding } else { guess }
}

/// How many more common characters make another encoding likelier than the one guessed. Chinese names are often taken
/// for rare Korean syllables, or for EUC-JP, which few records are in.
fn lead(guess: &'static Encoding, other: &'static Encoding) -> usize {
    match other == GBK {
        true if guess == EUC_JP => 0,
        true if guess == EUC_KR => 1,
        _ => 2,
    }
}

/// Whether most bytes beyond ASCII are in words of nothing but pairs of them. Words in Latin letters have others, too.
fn is_paired(bytes: &[u8], beyond_ascii: usize) -> bool {
    let words = bytes.split(|byte| byte.is_ascii() && !byte.is_ascii_alphabetic());
    let has_pairs_alone =
        |word: &&[u8]| word.len().is_multiple_of(2) && !word.iter().any(u8::is_ascii);
    let paired: usize = words.filter(has_pairs_alone).map(<[u8]>::len).sum();
    paired >= LEAST_PAIRED && 2 * paired > beyond_ascii
}

#[cfg(test)]
mod tests {
    use super::super::texts;
    use super::*;
    use encoding_rs::WINDOWS_1251;

    #[test]
    fn names_alone_tell_the_encoding() {
        let cases: [(&'static Encoding, [&str; 2]); 20] = [
            (GBK, ["李钦诚", "孔杰"]),
            (GBK, ["李维清", "范廷钰"]),
            (GBK, ["王磊", "李钦诚"]),
            (GBK, ["丁浩", "李喆"]),
            (GBK, ["常昊", "周鹤洋"]),
            (EUC_JP, ["羽根直樹", "坂田栄男"]),
            (EUC_JP, ["武宮正樹", "加藤正夫"]),
            (EUC_JP, ["小林光一", "大竹英雄"]),
            (SHIFT_JIS, ["大竹英雄", "一力遼"]),
            (SHIFT_JIS, ["木谷實", "岩本薫"]),
            (SHIFT_JIS, ["依田紀基", "三村智保"]),
            (EUC_KR, ["이창호", "조훈현"]),
            (EUC_KR, ["박정환", "신진서"]),
            (BIG5, ["周俊勳", "王元均"]),
            (WINDOWS_1252, ["Wolfgang Süß", "Jörg Größe"]),
            (WINDOWS_1252, ["Süß", "Ann"]),
            (WINDOWS_1252, ["Ólafur Æð", "Þóra"]),
            (EUC_JP, ["結城聡", "高尾紳路"]),
            (WINDOWS_1251, ["Аоки", "Иванов"]),
            (WINDOWS_1251, ["Илья Шикшин", "Ann"]),
        ];
        for (encoding, [black, white]) in cases {
            let text =
                format!("(;GM[1]FF[3]SZ[19]KM[6.5]PB[{black}]PW[{white}];B[pd];W[dd];B[pq];W[dp])");
            let (bytes, _, has_errors) = encoding.encode(&text);
            assert!(!has_errors, "{text}");
            assert_eq!(texts(&bytes)[0], text, "{}", encoding.name());
        }
    }
}
